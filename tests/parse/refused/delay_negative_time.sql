CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (ts ASC) DELAY INTERVAL '-5' SECONDS
) USING json;

-- refused
-- a DELAY cannot be negative
--   hint: rows that arrive early need no DELAY
--   3 |   PUNCTUATE (ts ASC) DELAY INTERVAL '-5' SECONDS
--     |                            ^^^^^^^^^^^^^^^^^^^^^
