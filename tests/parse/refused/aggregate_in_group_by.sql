SELECT 1 AS x FROM bid GROUP BY sum(itemid)

-- refused
-- there is an aggregate function in GROUP BY
--   hint: aggregates are allowed in SELECT and HAVING
--   1 | SELECT 1 AS x FROM bid GROUP BY sum(itemid)
--     |                                 ^^^^^^^^^^^
