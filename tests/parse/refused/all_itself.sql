CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (sid, hour) WHEN ALL sid IN ('a')
) USING json;

-- refused
-- sid is one of the punctuated columns
--   hint: WHEN ALL takes another column: the one that says who reports
--   3 |   PUNCTUATE (sid, hour) WHEN ALL sid IN ('a')
--     |                                  ^^^
