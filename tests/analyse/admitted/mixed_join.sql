-- Both sides have finitely many rows, so the join keeps finitely many.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE STREAM u (g BIGINT, h BIGINT) USING json OPTIONS (path 'u');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT x.a, y.h
FROM (SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a IN (1, 2, 3)) x
JOIN (SELECT DISTINCT g, h FROM u WHERE g < 5 AND h > 0 AND h < g) y ON x.a = y.g;

-- checked
-- q: admitted
--   synopsis of s: at most 6 values: a row of (a, b) for each of 3 buckets by a
--   synopsis of t: at most 6 values: a row of (d, e) for each of 3 buckets by d
--   synopsis of the answer: at most 3 values
--   dupelim of u: at most 9 rows
--   join keeps s, t: at most 3 rows
--   join keeps u: at most 9 rows
--   without punctuations, memory is bounded, as the lines above say
