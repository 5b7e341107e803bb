CREATE TABLE sensors (sid STRING, zone INT) USING csv OPTIONS (path 'sensors.csv');
CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN sensor
) USING json;

-- refused
-- there is no table sensor
--   detail: available: sensors
--   hint: did you mean sensors?
--   4 |   PUNCTUATE (hour) WHEN ALL sid IN sensor
--     |                                    ^^^^^^
