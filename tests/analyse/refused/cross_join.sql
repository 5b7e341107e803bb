-- Every row meets every other.
CREATE STREAM s (a BIGINT) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a, d FROM s CROSS JOIN t;

-- checked
-- q: refused
--   join keeps s: state grows without bound: no equality joins it with t
--   join keeps t: state grows without bound: no equality joins it with s
--   without punctuations, memory is unbounded: a of s is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of s(a) = (1), (2), (3), … must be kept, because later rows such as t(d) = (1) would tell them apart
--   5 | INSERT INTO q SELECT a, d FROM s CROSS JOIN t;
--     |                                ^^^^^^^^^^^^^^
--   hint: join every stream by an equality: ON a.x = b.y
--         or write ALLOW UNBOUNDED after the query
