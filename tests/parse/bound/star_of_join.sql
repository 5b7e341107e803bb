SELECT * FROM item i, bid b WHERE i.itemid = b.itemid

-- bound
-- sellerid BIGINT, i.itemid BIGINT, name STRING, price DOUBLE, ts TIMESTAMP, bidderid BIGINT, b.itemid BIGINT, increase DOUBLE, fee DECIMAL(38,18), day DATE
-- Join i.itemid = b.itemid
--   Source item
--   Source bid
