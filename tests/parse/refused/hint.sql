SELECT /*+ BROADCAST(bid) */ itemid FROM bid

-- refused
-- a hint is not supported
--   hint: supported: SELECT [DISTINCT], FROM, JOIN, WHERE, GROUP BY, HAVING, ORDER BY [LIMIT], UNION, INTERSECT, EXCEPT
--   1 | SELECT /*+ BROADCAST(bid) */ itemid FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^
