CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'b');

-- refused
-- absent inputs could never be attached
--   hint: add control 'directory': its files say when inputs are attached
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'b');
--     |                                           ^^^^^^^^^^
