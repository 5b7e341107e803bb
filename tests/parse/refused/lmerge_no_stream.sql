CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a');
CREATE STREAM m AS LMERGE (a, bb);

-- refused
-- there is no stream bb
--   detail: available: a
--   2 | CREATE STREAM m AS LMERGE (a, bb);
--     |                               ^^
