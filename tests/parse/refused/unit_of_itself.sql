CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid, DATE_TRUNC('hour', ts) ASC) WHEN ALL ts IN ('2026-11-17')
) USING json;

-- refused
-- ts is one of the punctuated columns
--   hint: WHEN ALL takes another column: the one that says who reports
--   3 |   PUNCTUATE (itemid, DATE_TRUNC('hour', ts) ASC) WHEN ALL ts IN ('2026-11-17')
--     |                                                           ^^
