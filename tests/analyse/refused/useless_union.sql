-- A union inside a union that removes duplicates anyway.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, x FROM (SELECT k, x FROM a UNION SELECT k, x FROM b) INTERSECT SELECT k, x FROM (SELECT k, x FROM c ORDER BY x);

-- checked
-- result: refused
--   sort of c: state grows without bound: its input promises no punctuations in sort order (x ASC)
--   intersect of a, b: state grows without bound: c promises no punctuations on any of its columns (k, x)
--   intersect of a, b, c: state grows without bound: c promises no punctuations on any of its columns (k, x)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   8 | SELECT k, x FROM (SELECT k, x FROM a UNION SELECT k, x FROM b) INTERSECT SELECT k, x FROM (SELECT k, x FROM c ORDER BY x);
--     |                                                                                                                        ^
--   hint: add PUNCTUATED ON (x ASC) to c
--         or remove ORDER BY from subqueries
--         or write ALLOW UNBOUNDED after the query
