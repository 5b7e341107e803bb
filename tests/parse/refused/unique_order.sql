CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  UNIQUE (itemid ASC)
) USING json;

-- refused
-- expected ) in UNIQUE
--   detail: found ASC
--   3 |   UNIQUE (itemid ASC)
--     |                  ^^^
