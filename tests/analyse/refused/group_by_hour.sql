-- Punctuations on single times do not close an hour.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT date_trunc('HOUR', ts) AS hour, MAX(v) AS most
FROM report
GROUP BY date_trunc('HOUR', ts);

-- checked
-- result: refused
--   group-by of report: never purged, because it lacks a scheme on nothing but hour
--   without punctuations not in bounded memory: ts of report is grouped by, and its values are without end (C1)
--   6 | SELECT date_trunc('HOUR', ts) AS hour, MAX(v) AS most
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   7 | FROM report
--     | ^^^^^^^^^^^
--   8 | GROUP BY date_trunc('HOUR', ts);
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (ts ASC) to report
--         or add PUNCTUATED ON (ts DESC) to report
--         or write ALLOW UNBOUNDED after the query
