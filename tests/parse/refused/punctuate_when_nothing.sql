CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN
) USING json;

-- refused
-- expected a condition in PUNCTUATE
--   detail: found )
--   4 | ) USING json;
--     | ^
