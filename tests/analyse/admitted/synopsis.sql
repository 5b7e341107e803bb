-- Q3 of the memory paper: bounded without punctuations, so it runs on synopses.
CREATE STREAM s (a BIGINT, b BIGINT, c BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q3 USING json OPTIONS (path 'q3');
INSERT INTO q3 SELECT a FROM s JOIN t ON a = d WHERE a > 10 AND d < 20;

-- checked
-- q3: admitted
--   synopsis of s: at most 18 values: a count for each of 9 buckets by a
--   synopsis of t: at most 18 values: a count for each of 9 buckets by d
--   without punctuations, memory is bounded: at most 36 values: s a count for each of 9 buckets by a, t a count for each of 9 buckets by d
