-- Figure 8 with the simple schemes of s2 left out.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a, c)) USING json OPTIONS (path 's3');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a;

-- checked
-- result: refused
--   join keeps s1: state grows without bound: none of s2, s3 promises punctuations on the keys that join it with the other inputs
--   join keeps s3: state grows without bound: none of s1, s2 promises punctuations on the keys that join it with the other inputs
--   without punctuations, memory is unbounded: a of s1 is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of s1(a, b) = (1, 1), (2, 1), (3, 1), … must be kept, because later rows such as s2(b, c) = (1, 1) and s3(a, c) = (1, 1) would tell them apart
--   8 | SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a;
--     |                              ^^^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s1 and PUNCTUATED ON (b) to s2
--         or add PUNCTUATED ON (b) to s2 and PUNCTUATED ON (c) to s2
--         or add PUNCTUATED ON (c) to s2 and PUNCTUATED ON (a) to s3
--         or write ALLOW UNBOUNDED after the query
