CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN status = , UNIQUE (sid)
) USING json;

-- refused
-- the SQL cannot be parsed
--   detail: something is missing near =
--   3 |   PUNCTUATE (itemid) WHEN status = , UNIQUE (sid)
--     |                                  ^
