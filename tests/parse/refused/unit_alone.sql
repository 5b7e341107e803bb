CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (DATE_TRUNC('hour', ts))
) USING json;

-- refused
-- PUNCTUATE needs an event or an order
--   hint: write PUNCTUATE (itemid) WHEN …, or PUNCTUATE (ts ASC)
--   3 |   PUNCTUATE (DATE_TRUNC('hour', ts))
--     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
