CREATE TABLE sensors (sid STRING, zone INT) USING csv OPTIONS (path 'sensors.csv');
CREATE STREAM Sensors (x INT) USING json;

-- refused
-- the stream Sensors is defined twice
--   detail: names are case-insensitive
--   hint: rename one
--   2 | CREATE STREAM Sensors (x INT) USING json;
--     |               ^^^^^^^
