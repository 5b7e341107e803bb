CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN sensors
) USING json;

-- refused
-- there is no table sensors
--   detail: available: none
--   hint: write CREATE TABLE sensors (…) USING … before it
--   3 |   PUNCTUATE (hour) WHEN ALL sid IN sensors
--     |                                    ^^^^^^^
