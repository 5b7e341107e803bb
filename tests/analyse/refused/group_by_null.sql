-- A flag that may be NULL: no punctuation on it is promised, and so k is never closed.
CREATE STREAM a (k BIGINT, flag BOOLEAN, PUNCTUATED ON (k, flag)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, COUNT(*) AS n FROM a GROUP BY k;

-- checked
-- result: refused
--   group-by of a: state grows without bound: no input promises punctuations on the grouping columns (k)
--   without punctuations, memory is unbounded: k of a is a grouping column, and the column's domain is unbounded (C1)
--   counterexample: all of a(k) = (1), (2), (3), … must be kept, because later rows such as a(k) = (1) would tell them apart
--   6 | SELECT k, COUNT(*) AS n FROM a GROUP BY k;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (k) to a
--         or write ALLOW UNBOUNDED after the query
