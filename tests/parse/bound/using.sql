SELECT * FROM item JOIN bid USING (itemid) WHERE itemid > 3

-- bound
-- sellerid BIGINT, itemid BIGINT, name STRING, price DOUBLE, ts TIMESTAMP, bidderid BIGINT, increase DOUBLE, fee DECIMAL(38,18), day DATE
-- Projection sellerid, item.itemid AS itemid, name, price, ts, bidderid, increase, fee, day
--   Join item.itemid = bid.itemid
--     Filter (itemid > 3)
--       Source item
--     Source bid
