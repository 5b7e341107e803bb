CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (DATE_TRUNC('hours', ts)) WHEN ALL sid IN ('a')
) USING json;

-- refused
-- DATE_TRUNC does not support the unit HOURS
--   hint: supported: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND
--   3 |   PUNCTUATE (DATE_TRUNC('hours', ts)) WHEN ALL sid IN ('a')
--     |              ^^^^^^^^^^^^^^^^^^^^^^^
