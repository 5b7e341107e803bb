SELECT 1 AS x FROM bid GROUP BY sum(itemid)

-- refused
-- there is an aggregate function in GROUP BY
--   hint: an aggregate stands in SELECT or HAVING
--   1 | SELECT 1 AS x FROM bid GROUP BY sum(itemid)
--     |                                 ^^^^^^^^^^^
