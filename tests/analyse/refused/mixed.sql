-- The result of the DISTINCT is finite, but rows of u wait for more of it as long as nothing ends it.
CREATE STREAM s (a BIGINT, b BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE STREAM u (g BIGINT, h BIGINT, PUNCTUATED ON (g)) USING json OPTIONS (path 'u');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT x.a, u.h
FROM (SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a > -1000000 AND a < 1000000) x JOIN u ON x.a = u.g;

-- checked
-- q: refused
--   join keeps u: state grows without bound: (s, t) promises no punctuation on the join key
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   8 | FROM (SELECT DISTINCT a FROM s JOIN t ON a = d AND b < e WHERE a > -1000000 AND a < 1000000) x JOIN u ON x.a = u.g;
--     |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s and PUNCTUATED ON (d) to t
--         or add PUNCTUATED ON (a) to s and PUNCTUATED ON (e DESC) to t
--         or add PUNCTUATED ON (b ASC) to s and PUNCTUATED ON (d) to t
--         or write ALLOW UNBOUNDED after the query
