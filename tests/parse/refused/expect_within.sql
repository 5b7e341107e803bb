CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATED ON (itemid) EXPECT '1 day'
) USING json;

-- refused
-- expected WITHIN in EXPECT
--   detail: found '1 day'
--   3 |   PUNCTUATED ON (itemid) EXPECT '1 day'
--     |                                 ^^^^^^^
