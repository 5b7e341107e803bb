-- Streams that are joined without an equality: only an end purges, and the rows to be counted are without end.
CREATE STREAM s (a BIGINT, b BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT, PUNCTUATED ON (d)) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a FROM s JOIN t ON b < e WHERE a IN (1, 2);

-- checked
-- q: refused
--   join keeps s: state grows without bound: t promises no punctuation in order of e DESC
--   without punctuations, memory is unbounded: b of s has to be below e of t, and the number of such rows is unbounded (C3)
--   counterexample: all of s(a, b) = (1, 1), (1, 3), (1, 5), … must be kept, because later rows such as t(e) = (2) would tell them apart
--   5 | INSERT INTO q SELECT a FROM s JOIN t ON b < e WHERE a IN (1, 2);
--     |                             ^^^^^^^^
--   hint: add PUNCTUATED ON (e DESC) to t
--         or join every stream by an equality: ON a.x = b.y
--         or write ALLOW UNBOUNDED after the query
