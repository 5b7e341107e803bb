CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'c', control 'ctl');

-- refused
-- c is not an input
--   detail: available: a, b
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'c', control 'ctl');
--     |                                           ^^^^^^^^^^
