-- The inner DISTINCT parts a join that is safe as a whole; the outer one does not need it.
CREATE STREAM s1 (a BIGINT, b BIGINT, PUNCTUATED ON (b)) USING json OPTIONS (path 's1');
CREATE STREAM s2 (b BIGINT, c BIGINT, PUNCTUATED ON (c)) USING json OPTIONS (path 's2');
CREATE STREAM s3 (a BIGINT, c BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's3');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT DISTINCT t.a
FROM (SELECT DISTINCT s1.a, s2.c FROM s1 JOIN s2 ON s1.b = s2.b) t JOIN s3 ON t.c = s3.c AND t.a = s3.a;

-- checked
-- result: refused
--   join keeps s1: state grows without bound: s2 promises no punctuation on the join key
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   9 | FROM (SELECT DISTINCT s1.a, s2.c FROM s1 JOIN s2 ON s1.b = s2.b) t JOIN s3 ON t.c = s3.c AND t.a = s3.a;
--     |                                       ^^^^^^^^^^
--   hint: add PUNCTUATED ON (b) to s2
--         or remove DISTINCT, and write UNION ALL for UNION, where duplicates are removed later
--         or write ALLOW UNBOUNDED after the query
