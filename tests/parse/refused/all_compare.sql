CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid = 'a'
) USING json;

-- refused
-- expected IN in PUNCTUATE
--   detail: found =
--   3 |   PUNCTUATE (hour) WHEN ALL sid = 'a'
--     |                                 ^
