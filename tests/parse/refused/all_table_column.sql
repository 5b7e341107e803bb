CREATE TABLE sensors (sid STRING, zone INT) USING csv OPTIONS (path 'sensors.csv');
CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL status IN sensors
) USING json;

-- refused
-- the table sensors has no column status
--   detail: available: sid, zone
--   4 |   PUNCTUATE (hour) WHEN ALL status IN sensors
--     |                                       ^^^^^^^
