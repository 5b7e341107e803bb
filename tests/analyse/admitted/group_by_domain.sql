-- A group of k is closed with the last of the states, of which nothing else is asked.
CREATE STREAM a (
  k STRING, state STRING, x BIGINT, DOMAIN state IN ('ID', 'OR', 'WA'), PUNCTUATED ON (k, state)
) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT k, COUNT(*) AS n FROM a WHERE x > 3 GROUP BY k;

-- checked
-- result: admitted
--   group-by of a: purged by a(k, state)
--   without punctuations, memory is unbounded: k of a is a grouping column, and the column's domain is unbounded (C1)
