SELECT * FROM item

-- bound
-- sellerid BIGINT, itemid BIGINT, name STRING, price DOUBLE, ts TIMESTAMP
-- Source item
