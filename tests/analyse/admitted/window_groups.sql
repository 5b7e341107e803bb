-- The groups of the last rows, again when they change.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a, AVG(b) AS m FROM s [ROWS 100] GROUP BY a;

-- checked
-- q: admitted
--   group-by of s: the last 100 rows
--   without punctuations, memory is bounded: at most 300 values: s the last 100 rows of (a, b)
--   emits each group again when it changes
