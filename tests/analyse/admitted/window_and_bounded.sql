-- A window, and a stream of which finitely many rows differ: e is only asked for, and not kept.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT x.b, d FROM s [ROWS 100] AS x JOIN t ON x.a = d WHERE d BETWEEN 1 AND 9 AND e > 3;

-- checked
-- q: admitted
--   join keeps s: the last 100 rows
--   join keeps t: at most 9 rows
--   without punctuations, memory is bounded: at most 318 values: s the last 100 rows of (a, b), t a count for each of 9 rows of (d)
