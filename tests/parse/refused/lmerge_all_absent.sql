CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'a, b', control 'ctl');

-- refused
-- all inputs are declared absent
--   hint: at least one input is attached when the query starts
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'a, b', control 'ctl');
--     |                                           ^^^^^^^^^^^^^
