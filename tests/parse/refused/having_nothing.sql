SELECT 1 AS x FROM bid HAVING

-- refused
-- the SQL cannot be parsed
--   detail: something is missing near HAVING
--   1 | SELECT 1 AS x FROM bid HAVING
--     |                        ^^^^^^
