CREATE TABLE sensors (sid STRING, zone INT) USING csv OPTIONS (path 'sensors.csv');
CREATE SINK o USING console; INSERT INTO o SELECT sid FROM sensors;

-- refused
-- sensors is a table
--   hint: FROM takes streams; tables are used in PUNCTUATE … WHEN ALL … IN
--   2 | CREATE SINK o USING console; INSERT INTO o SELECT sid FROM sensors;
--     |                                                            ^^^^^^^
