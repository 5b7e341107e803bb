-- Punctuations on (k, h) close a group of k when h is 8; a subquery without h says so.
CREATE STREAM a (k BIGINT, h BIGINT, PUNCTUATED ON (k, h)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, COUNT(*) AS n FROM a WHERE h = 8 GROUP BY k;

-- checked
-- result: refused
--   group-by of a: state grows without bound: no input promises punctuations on the grouping columns (k)
--   without punctuations, memory is unbounded: k of a is a grouping column, and the column's domain is unbounded (C1)
--   counterexample: all of a(k, h) = (1, 8), (2, 8), (3, 8), … must be kept, because later rows such as a(k, h) = (1, 8) would tell them apart
--   6 | SELECT k, COUNT(*) AS n FROM a WHERE h = 8 GROUP BY k;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (h) to a
--         or add PUNCTUATED ON (k) to a
--         or drop the columns that are compared with constants in a subquery, before GROUP BY
--         or write ALLOW UNBOUNDED after the query
