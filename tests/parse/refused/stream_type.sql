CREATE STREAM a (x INT, y MAP<STRING, INT>) USING json;

-- refused
-- the type MAP<STRING, INT> is not supported
--   hint: supported: TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, VARCHAR(n), CHAR(n), BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY TO SECOND, ARRAY<…>, STRUCT<name: …>
--   1 | CREATE STREAM a (x INT, y MAP<STRING, INT>) USING json;
--     |                           ^^^^^^^^^^^^^^^^
