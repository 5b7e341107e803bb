CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (polcy 'first');

-- refused
-- LMERGE has no option polcy
--   detail: available: case, insert, share, adjust, control, absent, feedback
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (polcy 'first');
--     |                                           ^^^^^^^^^^^^^
