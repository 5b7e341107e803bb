CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM b (symbol STRING, price DECIMAL(10, 2)) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b);

-- refused
-- b is not a replica of a
--   detail: a has (symbol STRING, price DOUBLE, _vs BIGINT), b has (symbol STRING, price DECIMAL(10,2), _vs BIGINT)
--   hint: replicas have the same columns with the same types, in the same order
--   3 | CREATE STREAM m AS LMERGE (a, b);
--     |                               ^
