CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM b (symbol STRING, price DECIMAL(10, 2)) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b);

-- refused
-- b is no replica of a
--   detail: a has (symbol STRING, price DOUBLE, _vs BIGINT), b has (symbol STRING, price DECIMAL(10,2), _vs BIGINT)
--   hint: replicas have columns of the same names and types, in one order
--   3 | CREATE STREAM m AS LMERGE (a, b);
--     |                               ^
