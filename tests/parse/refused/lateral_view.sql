SELECT itemid FROM bid LATERAL VIEW explode(itemid) t AS x

-- refused
-- LATERAL VIEW is not supported
--   hint: supported: SELECT [DISTINCT], FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY [LIMIT], UNION, INTERSECT, EXCEPT
--   1 | SELECT itemid FROM bid LATERAL VIEW explode(itemid) t AS x
--     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
