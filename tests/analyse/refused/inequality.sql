-- A join on a bounded attribute, and an inequality whose values are without end.
CREATE STREAM s (a BIGINT, b BIGINT, DOMAIN a BETWEEN 0 AND 3) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, e BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a FROM s JOIN t ON a = d AND b < e;

-- checked
-- q: refused
--   join keeps s: state grows without bound: t promises no punctuation on the join key or in order of e DESC
--   join keeps t: state grows without bound: s promises no punctuation on the join key or in order of b ASC
--   without punctuations, memory is unbounded: b of s has to be below e of t, and the number of such rows is unbounded (C3)
--   counterexample: all of s(a, b) = (0, 1), (0, 3), (0, 5), … must be kept, because later rows such as t(d, e) = (0, 2) would tell them apart
--   5 | INSERT INTO q SELECT a FROM s JOIN t ON a = d AND b < e;
--     |                             ^^^^^^^^
--   hint: add PUNCTUATED ON (a) to s and PUNCTUATED ON (d) to t
--         or add PUNCTUATED ON (a) to s and PUNCTUATED ON (e DESC) to t
--         or add PUNCTUATED ON (b ASC) to s and PUNCTUATED ON (d) to t
--         or add PUNCTUATED ON (b ASC) to s and PUNCTUATED ON (e DESC) to t
--         or write ALLOW UNBOUNDED after the query
