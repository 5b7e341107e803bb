CREATE STREAM a (x INT, y ARRAY<INT>) USING json;

-- refused
-- the type ARRAY<INT> is not supported
--   hint: supported: TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, VARCHAR(n), CHAR(n), BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY TO SECOND
--   1 | CREATE STREAM a (x INT, y ARRAY<INT>) USING json;
--     |                           ^^^^^^^^^^
