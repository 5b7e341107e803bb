-- One row, whatever comes.
CREATE STREAM a (k BIGINT, x BIGINT) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT COUNT(*) AS n, MAX(x) AS most FROM a;

-- checked
-- result: admitted
--   group-by of a: at most 1 row
--   without punctuations, memory is bounded: at most 2 values: the answer 2
--   emits each group again when it changes
