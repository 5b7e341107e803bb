CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE STREAM m AS LMERGE ();

-- refused
-- expected a temporal stream in LMERGE
--   detail: found )
--   2 | CREATE STREAM m AS LMERGE ();
--     |                            ^
