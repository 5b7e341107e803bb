-- The same once each: the least b and the greatest e of each a will do.
CREATE STREAM s (a BIGINT, b BIGINT, DOMAIN a BETWEEN 0 AND 3) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e;

-- checked
-- q: admitted
--   synopsis of s: at most 8 values: a row of (a, b) for each of 4 buckets by a
--   synopsis of t: at most 8 values: a row of (d, e) for each of 4 buckets by d
--   synopsis of the answer: at most 4 values
--   without punctuations, memory is bounded: at most 20 values: s a row of (a, b) for each of 4 buckets by a, t a row of (d, e) for each of 4 buckets by d, the answer 4
