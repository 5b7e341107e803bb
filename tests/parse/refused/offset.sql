SELECT itemid FROM bid OFFSET 10

-- refused
-- OFFSET is not supported
--   hint: supported: SELECT [DISTINCT], FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY [LIMIT], UNION, INTERSECT, EXCEPT
--   1 | SELECT itemid FROM bid OFFSET 10
--     |                        ^^^^^^^^^
