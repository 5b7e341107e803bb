CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  UNIQUE (itemid) LIFESPAN '4 hours'
) USING json;

-- refused
-- expected , or ) in CREATE STREAM
--   detail: found LIFESPAN
--   3 |   UNIQUE (itemid) LIFESPAN '4 hours'
--     |                   ^^^^^^^^
