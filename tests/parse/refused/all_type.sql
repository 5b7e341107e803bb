CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN ('a', 5)
) USING json;

-- refused
-- a value does not fit the column sid
--   detail: 5 is BIGINT
--   hint: sid is STRING
--   3 |   PUNCTUATE (hour) WHEN ALL sid IN ('a', 5)
--     |                                          ^
