-- One part on synopses beside one that punctuations keep bounded.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE STREAM u (g BIGINT, PUNCTUATED ON (g)) USING json OPTIONS (path 'u');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a IN (1, 2, 3)
UNION ALL
SELECT g FROM u GROUP BY g;

-- checked
-- q: admitted
--   synopsis of s: at most 6 values: a row of (a, b) for each of 3 buckets by a
--   synopsis of t: at most 6 values: a row of (d, e) for each of 3 buckets by d
--   synopsis of the answer: at most 3 values
--   group-by of u: purged by u(g)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
