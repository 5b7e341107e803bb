-- an hour is over when each sensor has reported in it; no other unit of time is
CREATE STREAM reading (
  sid STRING, ts TIMESTAMP, temp DOUBLE,
  PUNCTUATE (DATE_TRUNC('hour', ts)) WHEN ALL sid IN ('a', 'b')
) USING json OPTIONS (path 'in/reading');
CREATE SINK hourly USING json OPTIONS (path 'out');
INSERT INTO hourly
SELECT DATE_TRUNC('hour', ts) AS hour, COUNT(*) AS n FROM reading WHERE temp > 0 GROUP BY DATE_TRUNC('hour', ts);

-- checked
-- hourly: admitted
--   group-by of reading: purged by reading(ts)
--   without punctuations, memory is unbounded: ts of reading is a grouping column, and the column's domain is unbounded (C1)
