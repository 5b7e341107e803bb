CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (case 'R3', CASE 'R4');

-- refused
-- the option CASE occurs twice
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (case 'R3', CASE 'R4');
--     |                                                      ^^^^
