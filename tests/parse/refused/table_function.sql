SELECT id FROM range(10)

-- refused
-- a table function in FROM is not supported
--   hint: FROM takes streams, subqueries and CTEs
--   1 | SELECT id FROM range(10)
--     |                ^^^^^^^^
