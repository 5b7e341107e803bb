CREATE TABLE sensors (sid STRING, zone INT) USING csv OPTIONS (path 'sensors.csv');
CREATE SINK o USING console; INSERT INTO o SELECT sid FROM sensors;

-- refused
-- sensors is a table
--   detail: it is read without a stream
--   hint: a query reads a stream, and may join it with a table: FROM stream JOIN table ON …, or LEFT JOIN
--   2 | CREATE SINK o USING console; INSERT INTO o SELECT sid FROM sensors;
--     |                                                            ^^^^^^^
