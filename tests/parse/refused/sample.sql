SELECT itemid FROM bid TABLESAMPLE (10 PERCENT)

-- refused
-- TABLESAMPLE is not supported
--   hint: supported: SELECT [DISTINCT], FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY [LIMIT], UNION, INTERSECT, EXCEPT
--   1 | SELECT itemid FROM bid TABLESAMPLE (10 PERCENT)
--     |                        ^^^^^^^^^^^^^^^
