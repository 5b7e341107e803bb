CREATE SINK o USING parquet;

-- refused
-- the sink o has no path
--   hint: OPTIONS (path '…')
--   1 | CREATE SINK o USING parquet;
--     |                     ^^^^^^^
