SELECT CAST(day AS ARRAY<INT>) FROM bid

-- refused
-- the type ARRAY<INT> is not supported
--   hint: supported: TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(p,s), STRING, VARCHAR(n), CHAR(n), BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ, INTERVAL DAY TO SECOND
--   1 | SELECT CAST(day AS ARRAY<INT>) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^
