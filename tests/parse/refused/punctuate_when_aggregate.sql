CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN COUNT(*) > 3
) USING json;

-- refused
-- there is an aggregate function in PUNCTUATE … WHEN
--   hint: aggregates are allowed in SELECT and HAVING
--   3 |   PUNCTUATE (itemid) WHEN COUNT(*) > 3
--     |                           ^^^^^^^^
