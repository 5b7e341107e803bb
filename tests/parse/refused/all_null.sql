CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN ('a', NULL)
) USING json;

-- refused
-- this is not a value of sid
--   hint: write one, such as 0 or 'OR'
--   3 |   PUNCTUATE (hour) WHEN ALL sid IN ('a', NULL)
--     |                                          ^^^^
