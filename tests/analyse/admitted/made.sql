-- clauses of a stream that is made of others: sensors of two streams, in order of their own, and of all of them together
CREATE STREAM north (sid STRING, ts TIMESTAMP, temp DOUBLE) USING json OPTIONS (path 'in/north');
CREATE STREAM south (sid STRING, ts TIMESTAMP, temp DOUBLE) USING json OPTIONS (path 'in/south');
CREATE STREAM reading (PUNCTUATE (ts ASC) WHEN ALL sid IN ('n1', 'n2', 's1') DELAY '1 minute') AS
SELECT sid, ts, temp FROM north UNION ALL SELECT sid, ts, temp FROM south;
CREATE SINK hourly USING json OPTIONS (path 'out');
INSERT INTO hourly
SELECT DATE_TRUNC('hour', ts) AS hour, AVG(temp) AS mean FROM reading GROUP BY DATE_TRUNC('hour', ts);

-- checked
-- hourly: admitted
--   group-by of reading: purged by reading(ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
