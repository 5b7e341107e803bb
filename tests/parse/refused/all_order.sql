CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour ASC) WHEN ALL sid IN ('a')
) USING json;

-- refused
-- WHEN ALL takes no order
--   hint: leave out ASC and DESC
--   3 |   PUNCTUATE (hour ASC) WHEN ALL sid IN ('a')
--     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
