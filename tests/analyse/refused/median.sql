-- A median of everything keeps everything, and no scheme can help.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT MEDIAN(x) AS middle FROM a;

-- checked
-- result: refused
--   group-by of a: state grows without bound: it has no grouping columns, so no punctuation closes its group
--   without punctuations, memory is unbounded: MEDIAN needs every value of x of a, and the column's domain is unbounded (C1)
--   counterexample: all of a(x) = (4), (5), (6), … must be kept, because later rows such as a(x) = (7) would tell them apart
--   6 | SELECT MEDIAN(x) AS middle FROM a;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: no further PUNCTUATED ON clause would help
--         or write ALLOW UNBOUNDED after the query
