-- The hour is read, so that punctuations on (k, hour) come to the group-by as they are.
CREATE STREAM a (k BIGINT, h BIGINT, DOMAIN h BETWEEN 0 AND 3, PUNCTUATED ON (k, h)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, MAX(h) AS last FROM a GROUP BY k;

-- checked
-- result: refused
--   group-by of a: state grows without bound: no input promises punctuations on the grouping columns (k)
--   without punctuations, memory is unbounded: k of a is a grouping column, and the column's domain is unbounded (C1)
--   counterexample: all of a(k, h) = (1, 0), (2, 0), (3, 0), … must be kept, because later rows such as a(k, h) = (1, 0) would tell them apart
--   6 | SELECT k, MAX(h) AS last FROM a GROUP BY k;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (h) to a
--         or add PUNCTUATED ON (k) to a
--         or write ALLOW UNBOUNDED after the query
