SELECT name FROM (item i JOIN bid b ON i.itemid = b.itemid)

-- refused
-- a join in brackets in FROM is not supported
--   hint: FROM takes streams, subqueries and CTEs
--   1 | SELECT name FROM (item i JOIN bid b ON i.itemid = b.itemid)
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
