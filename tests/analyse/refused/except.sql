-- Left rows wait for the right side, right rows for the left one.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k FROM a EXCEPT SELECT k FROM b;

-- checked
-- result: refused
--   difference of a: state grows without bound: b promises no punctuations on any of its columns (k)
--   difference of a, b: state grows without bound: b promises no punctuations on any of its columns (k)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   7 | SELECT k FROM a EXCEPT SELECT k FROM b;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (k) to b
--         or write ALLOW UNBOUNDED after the query
