CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (DATE_TRUNC('hour', ts) ASC) WHEN ALL sid IN ('a') DELAY 5
) USING json;

-- refused
-- this DELAY does not fit ts
--   detail: 5 is BIGINT
--   hint: ts is TIMESTAMP; write a duration such as '10 seconds'
--   3 |   PUNCTUATE (DATE_TRUNC('hour', ts) ASC) WHEN ALL sid IN ('a') DELAY 5
--     |                                                                      ^
