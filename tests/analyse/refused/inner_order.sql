-- An ORDER BY in a subquery has no meaning, and costs the query its safety.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, b.x FROM (SELECT k FROM a ORDER BY k) a JOIN b ON a.k = b.k;

-- checked
-- result: refused
--   sort of a: never purged, because it lacks a scheme on k ASC
--   join keeps b: never purged, because no scheme reaches a
--   without punctuations not in bounded memory: it is not one select-project-join with at most one DISTINCT or GROUP BY on top
--   7 | SELECT a.k, b.x FROM (SELECT k FROM a ORDER BY k) a JOIN b ON a.k = b.k;
--     |                                                ^
--   hint: add PUNCTUATED ON (k ASC) to a
--         or leave out ORDER BY in subqueries
--         or write ALLOW UNBOUNDED after the query
