-- Punctuations on single times do not close an hour.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT date_trunc('HOUR', ts) AS hour, MAX(v) AS most
FROM report
GROUP BY date_trunc('HOUR', ts);

-- checked
-- result: refused
--   group-by of report: state grows without bound: no input promises punctuations on the grouping columns (hour)
--   without punctuations, memory is unbounded: ts of report is a grouping column, and the column's domain is unbounded (C1)
--   6 | SELECT date_trunc('HOUR', ts) AS hour, MAX(v) AS most
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   7 | FROM report
--     | ^^^^^^^^^^^
--   8 | GROUP BY date_trunc('HOUR', ts);
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (ts ASC) to report
--         or add PUNCTUATED ON (ts DESC) to report
--         or write ALLOW UNBOUNDED after the query
