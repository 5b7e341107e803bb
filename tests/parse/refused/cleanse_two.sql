CREATE TEMPORAL STREAM a (n BIGINT) USING json OPTIONS (path 'in/a');
CREATE STREAM b AS CLEANSE (a, a);

-- refused
-- expected ) in CLEANSE
--   detail: found ,
--   2 | CREATE STREAM b AS CLEANSE (a, a);
--     |                              ^
