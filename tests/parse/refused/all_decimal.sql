CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL fee IN (0.5)
) USING json;

-- refused
-- WHEN ALL does not take this type
--   detail: fee is DECIMAL(9,2)
--   hint: any type except DECIMAL is supported
--   3 |   PUNCTUATE (hour) WHEN ALL fee IN (0.5)
--     |                             ^^^
