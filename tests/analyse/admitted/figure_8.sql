-- Figures 8 to 10: a scheme on two attributes, which two streams know together.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (b), PUNCTUATED ON (c)) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a, c)) USING json OPTIONS (path 's3');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a;

-- checked
-- result: admitted
--   join keeps s1: purged by s2(b), then s3(a, c)
--   join keeps s2: purged by s1(b), then s3(a, c)
--   join keeps s3: purged by s2(c), then s1(b)
--   without punctuations, memory is unbounded: a of s1 is in the result, and the column's domain is unbounded (C1)
