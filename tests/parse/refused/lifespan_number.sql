CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATED ON (itemid) LIFESPAN 4
) USING json;

-- refused
-- expected a quoted string in LIFESPAN
--   detail: found 4
--   3 |   PUNCTUATED ON (itemid) LIFESPAN 4
--     |                                   ^
