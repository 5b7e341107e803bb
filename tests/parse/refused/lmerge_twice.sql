CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE STREAM m AS LMERGE (a, A);

-- refused
-- a occurs twice
--   hint: a replica is a stream of its own
--   2 | CREATE STREAM m AS LMERGE (a, A);
--     |                               ^
