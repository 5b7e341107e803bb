CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL fee IN (0.5)
) USING json;

-- refused
-- ALL does not take this type
--   detail: fee is DECIMAL(9,2)
--   hint: it takes any type but DECIMAL
--   3 |   PUNCTUATE (hour) WHEN ALL fee IN (0.5)
--     |                             ^^^
