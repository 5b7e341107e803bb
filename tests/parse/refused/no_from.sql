SELECT 1

-- refused
-- SELECT without FROM is not supported
--   hint: a query reads streams
--   1 | SELECT 1
--     | ^^^^^^^^
