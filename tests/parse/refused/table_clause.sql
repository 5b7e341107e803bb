CREATE TABLE sensors (sid STRING, PUNCTUATED ON (sid)) USING json;

-- refused
-- the type ON (sid) is not supported
--   hint: supported: TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, VARCHAR(n), CHAR(n), BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY TO SECOND, ARRAY<…>, STRUCT<name: …>
--   1 | CREATE TABLE sensors (sid STRING, PUNCTUATED ON (sid)) USING json;
--     |                                              ^^^^^^^^
