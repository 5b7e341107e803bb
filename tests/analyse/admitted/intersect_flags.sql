-- A flag is true, false or NULL: three rows, whatever comes.
CREATE STREAM a (k BIGINT, f BOOLEAN) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, g BOOLEAN) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT f FROM a INTERSECT SELECT g FROM b;

-- checked
-- result: admitted
--   intersect of a: at most 3 rows
--   intersect of b: at most 3 rows
--   intersect of a, b: at most 3 rows
--   without punctuations, memory is bounded, as the lines above say
