-- A tumbling window: prefixes pass a monotone column.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT date_trunc('HOUR', ts) AS hour, MAX(v) AS most
FROM report
GROUP BY date_trunc('HOUR', ts);

-- checked
-- result: admitted
--   group-by of report: purged by report(ts ASC)
--   without punctuations, memory is unbounded: ts of report is a grouping column, and the column's domain is unbounded (C1)
