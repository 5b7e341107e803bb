-- A union inside a union that removes duplicates anyway.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE STREAM c (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'c');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, x FROM (SELECT k, x FROM a UNION SELECT k, x FROM b) INTERSECT SELECT k, x FROM (SELECT k, x FROM c ORDER BY x);

-- checked
-- result: refused
--   sort of c: never purged, because it lacks a scheme on x ASC
--   intersect of a, b: never purged, because it lacks a scheme of c on some of k, x
--   intersect of a, b, c: never purged, because it lacks a scheme of c on some of k, x
--   without punctuations not in bounded memory: it is not one select-project-join with at most one DISTINCT or GROUP BY on top
--   8 | SELECT k, x FROM (SELECT k, x FROM a UNION SELECT k, x FROM b) INTERSECT SELECT k, x FROM (SELECT k, x FROM c ORDER BY x);
--     |                                                                                                                        ^
--   hint: add PUNCTUATED ON (x ASC) to c
--         or leave out ORDER BY in subqueries
--         or write ALLOW UNBOUNDED after the query
