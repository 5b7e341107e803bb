CREATE STREAM a (x ARRAY<INT>) USING csv OPTIONS (path 'x');

-- refused
-- a stream of csv has no ARRAY or STRUCT
--   detail: x is ARRAY<BIGINT>
--   hint: read it from json or parquet
--   1 | CREATE STREAM a (x ARRAY<INT>) USING csv OPTIONS (path 'x');
--     |               ^
