CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN status
) USING json;

-- refused
-- WHEN needs a condition
--   detail: status is STRING
--   hint: a condition is BOOLEAN
--   3 |   PUNCTUATE (itemid) WHEN status
--     |                           ^^^^^^
