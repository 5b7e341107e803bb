CREATE TEMPORAL STREAM a (itemid BIGINT, _vs BIGINT, _ve BIGINT) USING json;
CREATE STREAM b (UNIQUE (itemid)) AS LMERGE (a);

-- refused
-- clauses of a temporal stream are not supported
--   hint: remove them
--   2 | CREATE STREAM b (UNIQUE (itemid)) AS LMERGE (a);
--     |                  ^^^^^^^^^^^^^^^
