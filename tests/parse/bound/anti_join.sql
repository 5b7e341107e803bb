SELECT * FROM item i ANTI JOIN bid b ON i.itemid = b.itemid JOIN report r ON r.hour = i.sellerid

-- bound
-- sellerid BIGINT, itemid BIGINT, name STRING, price DOUBLE, ts TIMESTAMP, sid STRING, hour BIGINT [0,23], temp DOUBLE, ok BOOLEAN, at TIMESTAMP_NTZ
-- Join sellerid = hour
--   AntiJoin i.itemid = b.itemid
--     Source item
--     Source bid
--   Source report
