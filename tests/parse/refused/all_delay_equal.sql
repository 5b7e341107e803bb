CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN ('a') DELAY 5
) USING json;

-- refused
-- a DELAY needs an order
--   detail: hour has none
--   hint: write hour ASC, or remove it
--   3 |   PUNCTUATE (hour) WHEN ALL sid IN ('a') DELAY 5
--     |                                                ^
