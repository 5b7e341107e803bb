-- A join in a named stream and one with it are one join: neither alone is safe.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (c)) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's3');
CREATE STREAM s12 AS SELECT s1.a, s2.c FROM s1 JOIN s2 ON s1.b = s2.b;
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT x.a FROM s12 x JOIN s3 ON x.c = s3.c AND x.a = s3.a;

-- checked
-- result: admitted
--   join keeps s1: purged by s3(a), then s2(c)
--   join keeps s2: purged by s1(b), then s3(a)
--   join keeps s3: purged by s2(c), then s1(b)
--   without punctuations, memory is unbounded: a of s1 is in the result, and the column's domain is unbounded (C1)
