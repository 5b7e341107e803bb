-- Finitely many groups and a sum that is pushed below the join: bounded by its states and by what it asks.
CREATE STREAM s (a BIGINT, b BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's');
CREATE STREAM t (c BIGINT, PUNCTUATED ON (c)) USING json OPTIONS (path 't');
CREATE SINK sums USING json OPTIONS (path 'sums');
INSERT INTO sums SELECT a, SUM(b) AS total FROM s JOIN t ON a = c WHERE a > 10 AND c < 20 GROUP BY a;

-- checked
-- sums: admitted
--   join keeps s: purged by t(c)
--   join keeps t: purged by s(a)
--   group-by of s, t: purged by s(a)
--   without punctuations, memory is bounded: at most 72 values: s a count and sum of b for each of 9 buckets by a, t a count for each of 9 buckets by c, the answer 18
