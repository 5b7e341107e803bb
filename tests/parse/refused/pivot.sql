SELECT * FROM bid PIVOT (sum(increase) FOR itemid IN (1, 2))

-- refused
-- PIVOT is not supported
--   hint: supported: SELECT [DISTINCT], FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY [LIMIT], UNION, INTERSECT, EXCEPT
--   1 | SELECT * FROM bid PIVOT (sum(increase) FOR itemid IN (1, 2))
--     |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
