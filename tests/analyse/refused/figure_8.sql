-- Figure 8 with the simple schemes of s2 left out.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a, c)) USING json OPTIONS (path 's3');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a;

-- checked
-- result: refused
--   join keeps s1: never purged, because no scheme reaches s2, s3
--   join keeps s3: never purged, because no scheme reaches s1, s2
--   without punctuations not in bounded memory: a of s1 is in the result, and its values are without end (C1)
--   none can be forgotten of s1(a, b) = (1, 1), (2, 1), (3, 1), …: what comes later, such as s2(b, c) = (1, 1) and s3(a, c) = (1, 1), tells which of them came
--   8 | SELECT s1.a, s1.b, s2.c FROM s1, s2, s3 WHERE s1.b = s2.b AND s2.c = s3.c AND s3.a = s1.a;
--     |                              ^^^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s1 and PUNCTUATED ON (b) to s2
--         or add PUNCTUATED ON (b) to s2 and PUNCTUATED ON (c) to s2
--         or add PUNCTUATED ON (c) to s2 and PUNCTUATED ON (a) to s3
--         or write ALLOW UNBOUNDED after the query
