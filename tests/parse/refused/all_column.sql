CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sd IN ('a')
) USING json;

-- refused
-- there is no column sd
--   detail: available: itemid, ts, day, status, sid, hour, price, fee
--   hint: did you mean sid?
--   3 |   PUNCTUATE (hour) WHEN ALL sd IN ('a')
--     |                             ^^
