-- The join is purged by punctuations, and conditions leave finitely many groups.
CREATE STREAM s (k BIGINT, b BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 's');
CREATE STREAM t (k BIGINT, e BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT b, SUM(e) AS total FROM s JOIN t ON s.k = t.k WHERE b BETWEEN 1 AND 5 GROUP BY b;

-- checked
-- q: admitted
--   join keeps s: purged by t(k)
--   join keeps t: purged by s(k)
--   group-by of s, t: at most 5 rows
--   without punctuations, memory is unbounded: k of s has to equal k of t, and the domain of these columns is unbounded (C2)
--   emits its groups when all streams have ended; with updates 'true' in its sink, when they change
