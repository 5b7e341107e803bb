CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (day ASC) DELAY '36 hours'
) USING json;

-- refused
-- a DATE moves by whole days
--   detail: day is DATE
--   hint: write a DELAY of days
--   3 |   PUNCTUATE (day ASC) DELAY '36 hours'
--     |                             ^^^^^^^^^^
