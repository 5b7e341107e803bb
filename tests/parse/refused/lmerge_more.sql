CREATE TEMPORAL STREAM a (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/a'); CREATE TEMPORAL STREAM b (symbol STRING, price DOUBLE) USING json OPTIONS (path 'in/b');
CREATE STREAM m AS LMERGE (a, b) WHERE price > 4;

-- refused
-- expected OPTIONS, ; or the end in LMERGE
--   detail: found WHERE
--   2 | CREATE STREAM m AS LMERGE (a, b) WHERE price > 4;
--     |                                  ^^^^^
