CREATE TABLE sensors (sid BIGINT, zone INT) USING csv OPTIONS (path 'sensors.csv');
CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN sensors
) USING json;

-- refused
-- the table sensors does not fit the column sid
--   detail: sid is STRING, sensors.sid is BIGINT
--   hint: use the same type for both
--   4 |   PUNCTUATE (hour) WHEN ALL sid IN sensors
--     |                                    ^^^^^^^
