-- Once all hours before one are closed, its rows can be released.
CREATE STREAM a (k BIGINT, hour BIGINT, DOMAIN hour BETWEEN 0 AND 23, PUNCTUATED ON (hour)) USING json OPTIONS (path 'a');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT hour, k FROM a ORDER BY hour DESC;

-- checked
-- result: admitted
--   sort of a: purged by a(hour)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
