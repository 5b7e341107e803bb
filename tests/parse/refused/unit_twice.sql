CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (DATE_TRUNC('hour', ts), hour DIV 2) WHEN ALL sid IN ('a')
) USING json;

-- refused
-- one of the columns may be computed
--   hint: compute others in a SELECT
--   3 |   PUNCTUATE (DATE_TRUNC('hour', ts), hour DIV 2) WHEN ALL sid IN ('a')
--     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
