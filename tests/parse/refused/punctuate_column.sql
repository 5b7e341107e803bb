CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itmid) WHEN status = 'closed'
) USING json;

-- refused
-- there is no column itmid
--   detail: available: itemid, ts, day, status, sid, hour, price, fee
--   hint: did you mean itemid?
--   3 |   PUNCTUATE (itmid) WHEN status = 'closed'
--     |              ^^^^^
