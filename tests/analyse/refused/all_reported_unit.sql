-- an hour is over when each sensor has reported in it, but a day may have other hours
CREATE STREAM reading (
  sid STRING, ts TIMESTAMP, temp DOUBLE,
  PUNCTUATE (DATE_TRUNC('hour', ts)) WHEN ALL sid IN ('a', 'b')
) USING json OPTIONS (path 'in/reading');
CREATE SINK hourly USING json OPTIONS (path 'out');
INSERT INTO hourly
SELECT DATE_TRUNC('day', ts) AS day, temp, COUNT(*) AS n FROM reading WHERE temp > 0 GROUP BY DATE_TRUNC('day', ts), temp;

-- checked
-- hourly: refused
--   group-by of reading: state grows without bound: no input promises punctuations on the grouping columns (day, temp)
--   without punctuations, memory is unbounded: ts of reading is a grouping column, and the column's domain is unbounded (C1)
--   8 | SELECT DATE_TRUNC('day', ts) AS day, temp, COUNT(*) AS n FROM reading WHERE temp > 0 GROUP BY DATE_TRUNC('day', ts), temp;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (temp) to reading
--         or add PUNCTUATED ON (ts ASC) to reading
--         or add PUNCTUATED ON (ts DESC) to reading
--         or write ALLOW UNBOUNDED after the query
