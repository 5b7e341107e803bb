CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) OPTIONS (case 'R5');

-- refused
-- the option case is 'R5'
--   detail: available: R0, R1, R2, R3, R3-, R4
--   2 | CREATE STREAM m AS LMERGE (a, b) OPTIONS (case 'R5');
--     |                                           ^^^^^^^^^
