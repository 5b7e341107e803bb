SELECT itemid FROM bid SORT BY itemid

-- refused
-- SORT BY is not supported
--   hint: supported: SELECT [DISTINCT], FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY [LIMIT], UNION, INTERSECT, EXCEPT
--   1 | SELECT itemid FROM bid SORT BY itemid
--     |                        ^^^^^^^^^^^^^^
