CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'b');

-- refused
-- absent inputs could never come
--   hint: add control 'directory', whose files say when they come
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (absent 'b');
--     |                                           ^^^^^^^^^^
