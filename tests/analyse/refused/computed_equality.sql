-- An equality of computed columns joins nothing by itself.
CREATE STREAM s (a BIGINT, PUNCTUATED ON (a)) USING json OPTIONS (path 's');
CREATE STREAM t (d BIGINT, PUNCTUATED ON (d)) USING json OPTIONS (path 't');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q SELECT a, d FROM s JOIN t ON a + 1 = d;

-- checked
-- q: refused
--   join keeps s: state grows without bound: no equality joins it with t
--   join keeps t: state grows without bound: no equality joins it with s
--   without punctuations, memory is unbounded: a of s is in the result, and the column's domain is unbounded (C1)
--   5 | INSERT INTO q SELECT a, d FROM s JOIN t ON a + 1 = d;
--     |                                ^^^^^^^^
--   hint: join every stream by an equality of plain columns: ON a.x = b.y
--         or write ALLOW UNBOUNDED after the query
