-- Of each stream the last rows, whatever comes.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT x.a, y.e FROM s [ROWS 100] AS x JOIN t [ROWS 10] AS y ON x.a = y.d WHERE x.b > 3;

-- checked
-- q: admitted
--   join keeps s: the last 100 rows
--   join keeps t: the last 10 rows
--   without punctuations, memory is bounded: at most 230 values: s the last 100 rows of (a), t the last 10 rows of (d, e)
