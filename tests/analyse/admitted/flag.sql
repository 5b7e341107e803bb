-- A condition that is a column, or its NOT, says which value the column has.
CREATE STREAM a (k BIGINT, flag BOOLEAN, PUNCTUATED ON (k, flag)) USING json OPTIONS (path 'a');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT k, COUNT(*) AS n FROM (SELECT k FROM a WHERE flag) GROUP BY k
UNION ALL SELECT k, COUNT(*) AS n FROM (SELECT k FROM a WHERE NOT flag) GROUP BY k;

-- checked
-- q: admitted
--   group-by of a: purged by a(k, flag)
--   group-by of a: purged by a(k, flag)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
