-- Figure 5 without the third condition.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (c)) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's3');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s1.a, s2.c FROM s1 JOIN s2 ON s1.b = s2.b JOIN s3 ON s2.c = s3.c;

-- checked
-- result: refused
--   join keeps s1: state grows without bound: none of s2, s3 promises punctuations on the keys that join it with the other inputs
--   join keeps s2: state grows without bound: s3 promises no punctuation on the join key
--   without punctuations, memory is unbounded: a of s1 is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of s1(a, b) = (1, 1), (2, 1), (3, 1), … must be kept, because later rows such as s2(b, c) = (1, 1) and s3(c) = (1) would tell them apart
--   8 | SELECT s1.a, s2.c FROM s1 JOIN s2 ON s1.b = s2.b JOIN s3 ON s2.c = s3.c;
--     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (b) to s2 and PUNCTUATED ON (c) to s3
--         or write ALLOW UNBOUNDED after the query
