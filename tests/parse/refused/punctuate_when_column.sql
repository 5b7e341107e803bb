CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN state = 'closed'
) USING json;

-- refused
-- there is no column state
--   detail: a has: itemid, ts, day, status, sid, hour, price, fee
--   hint: did you mean status?
--   3 |   PUNCTUATE (itemid) WHEN state = 'closed'
--     |                           ^^^^^
