CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (DATE_TRUNC('hour', time)) WHEN ALL sid IN ('a')
) USING json;

-- refused
-- there is no column time
--   detail: a has: itemid, ts, day, status, sid, hour, price, fee
--   3 |   PUNCTUATE (DATE_TRUNC('hour', time)) WHEN ALL sid IN ('a')
--     |                                 ^^^^
