-- An ORDER BY in a subquery has no meaning, and costs the query its safety.
CREATE STREAM a (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'a');
CREATE STREAM b (k BIGINT, x BIGINT, PUNCTUATED ON (k)) USING json OPTIONS (path 'b');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.k, b.x FROM (SELECT k FROM a ORDER BY k) a JOIN b ON a.k = b.k;

-- checked
-- result: refused
--   sort of a: state grows without bound: its input promises no punctuations in sort order (k ASC)
--   join keeps b: state grows without bound: a promises no punctuation on the join key
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   7 | SELECT a.k, b.x FROM (SELECT k FROM a ORDER BY k) a JOIN b ON a.k = b.k;
--     |                                                ^
--   hint: add PUNCTUATED ON (k ASC) to a
--         or remove ORDER BY from subqueries
--         or write ALLOW UNBOUNDED after the query
