SELECT itemid FROM bid, LATERAL (SELECT 1)

-- refused
-- LATERAL in FROM is not supported
--   hint: FROM takes streams, subqueries and CTEs
--   1 | SELECT itemid FROM bid, LATERAL (SELECT 1)
--     |                                         ^
