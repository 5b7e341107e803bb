CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour ASC) DELAY 0.5
) USING json;

-- refused
-- a value does not fit the column hour
--   detail: 0.5 is DECIMAL(1,1)
--   hint: hour is BIGINT
--   3 |   PUNCTUATE (hour ASC) DELAY 0.5
--     |                              ^^^
