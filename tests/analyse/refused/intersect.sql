-- Each side waits for the other.
CREATE STREAM a (k BIGINT, x BIGINT) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k FROM a INTERSECT SELECT k FROM b;

-- checked
-- result: refused
--   intersect of a: state grows without bound: b promises no punctuations on any of its columns (k)
--   intersect of b: state grows without bound: a promises no punctuations on any of its columns (k)
--   intersect of a, b: state grows without bound: a promises no punctuations on any of its columns (k) and b promises no punctuations on any of its columns (k)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   7 | SELECT k FROM a INTERSECT SELECT k FROM b;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (k) to a and PUNCTUATED ON (k) to b
--         or write ALLOW UNBOUNDED after the query
