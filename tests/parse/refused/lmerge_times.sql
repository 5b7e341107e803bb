CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE, _vs DATE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b);

-- refused
-- b is no replica of a
--   detail: a has (symbol STRING, price DOUBLE, _vs BIGINT), b has (symbol STRING, price DOUBLE, _vs DATE)
--   hint: replicas have columns of the same names and types, in one order
--   3 | CREATE STREAM m AS LMERGE (a, b);
--     |                               ^
