CREATE STREAM a (x INT, y FOO) USING json;

-- refused
-- the type FOO is not supported
--   hint: supported: TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, VARCHAR(n), CHAR(n), BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY TO SECOND, ARRAY<…>, STRUCT<name: …>
--   1 | CREATE STREAM a (x INT, y FOO) USING json;
--     |                           ^^^
