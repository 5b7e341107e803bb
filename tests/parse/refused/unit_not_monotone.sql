CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (HOUR(ts)) WHEN ALL sid IN ('a')
) USING json;

-- refused
-- PUNCTUATE takes columns, and functions of one that keep its order
--   hint: DATE_TRUNC('hour', ts), CAST(ts AS DATE), YEAR(ts) and n DIV 10 do
--   3 |   PUNCTUATE (HOUR(ts)) WHEN ALL sid IN ('a')
--     |              ^^^^^^^^
