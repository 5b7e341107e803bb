CREATE TEMPORAL STREAM a (name STRING, OPEN CLOSE) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM b (name STRING, _vs DATE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b);

-- refused
-- b is not a replica of a
--   detail: a has (name STRING, _vs BIGINT), b has (name STRING, _vs DATE)
--   hint: replicas have the same columns with the same types, in the same order
--   3 | CREATE STREAM m AS LMERGE (a, b);
--     |                               ^
