CREATE TEMPORAL STREAM q AS SELECT itemid, COUNT(*) AS n FROM bid GROUP BY itemid;

-- refused
-- the result has no start column _vs
--   detail: available: itemid, n
--   hint: name a column _vs: SELECT ts AS _vs, …
--   1 | CREATE TEMPORAL STREAM q AS SELECT itemid, COUNT(*) AS n FROM bid GROUP BY itemid;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
