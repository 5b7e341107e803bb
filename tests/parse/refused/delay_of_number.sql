CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour DESC) DELAY '2 hours'
) USING json;

-- refused
-- a value does not fit the column hour
--   detail: 2 hours is STRING
--   hint: hour is BIGINT
--   3 |   PUNCTUATE (hour DESC) DELAY '2 hours'
--     |                               ^^^^^^^^^
