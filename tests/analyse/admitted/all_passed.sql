-- an hour is over when each sensor of the list has gone past it
CREATE STREAM reading (
  sid STRING, ts TIMESTAMP, temp DOUBLE,
  PUNCTUATE (DATE_TRUNC('hour', ts) ASC) WHEN ALL sid IN ('a', 'b') DELAY '1 minute'
) USING json OPTIONS (path 'in/reading');
CREATE SINK hourly USING json OPTIONS (path 'out');
INSERT INTO hourly
SELECT DATE_TRUNC('hour', ts) AS hour, COUNT(*) AS n, MAX(temp) AS most FROM reading GROUP BY DATE_TRUNC('hour', ts);

-- checked
-- hourly: admitted
--   group-by of reading: purged by reading(ts ASC)
--   without punctuations, memory is unbounded: ts of reading is a grouping column, and the column's domain is unbounded (C1)
