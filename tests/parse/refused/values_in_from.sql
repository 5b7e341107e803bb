SELECT * FROM VALUES (1), (2)

-- refused
-- VALUES in FROM is not supported
--   hint: FROM takes streams, subqueries and CTEs
--   1 | SELECT * FROM VALUES (1), (2)
--     |                       ^^^^^^
