CREATE STREAM a (name STRING, _vs BIGINT, _ve BIGINT, _from BIGINT NOT NULL) USING json OPTIONS (path 'in/a');

-- refused
-- the columns of a end as those of a temporal stream
--   hint: rename one, or define it with CREATE TEMPORAL STREAM a …
--   1 | CREATE STREAM a (name STRING, _vs BIGINT, _ve BIGINT, _from BIGINT NOT NULL) USING json OPTIONS (path 'in/a');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
