-- Each side waits for the other.
CREATE STREAM a (k BIGINT, x BIGINT) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k FROM a INTERSECT SELECT k FROM b;

-- checked
-- result: refused
--   intersect of a: never purged, because it lacks a scheme of b on some of k
--   intersect of b: never purged, because it lacks a scheme of a on some of k
--   intersect of a, b: never purged, because it lacks a scheme of a on some of k and a scheme of b on some of k
--   without punctuations not in bounded memory: it is not one select-project-join with at most one DISTINCT or GROUP BY on top
--   7 | SELECT k FROM a INTERSECT SELECT k FROM b;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (k) to a and PUNCTUATED ON (k) to b
--         or write ALLOW UNBOUNDED after the query
