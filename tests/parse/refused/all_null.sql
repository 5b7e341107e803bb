CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN ('a', NULL)
) USING json;

-- refused
-- this is not a literal for sid
--   hint: write a literal such as 0 or 'OR'
--   3 |   PUNCTUATE (hour) WHEN ALL sid IN ('a', NULL)
--     |                                          ^^^^
