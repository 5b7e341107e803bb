CREATE STREAM a (name STRING, _vs BIGINT, _ve BIGINT, _from BIGINT NOT NULL) USING json OPTIONS (path 'in/a');

-- refused
-- the last columns of a are those of a temporal stream
--   hint: rename one, or define it with CREATE TEMPORAL STREAM a …
--   1 | CREATE STREAM a (name STRING, _vs BIGINT, _ve BIGINT, _from BIGINT NOT NULL) USING json OPTIONS (path 'in/a');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
