-- No scheme on what is left of the columns.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT DISTINCT sid, v FROM report;

-- checked
-- result: refused
--   dupelim of report: never purged, because it lacks a scheme on some of sid, v
--   without punctuations not in bounded memory: sid of report is in the result, and its values are without end (C1)
--   none can be forgotten of report(sid, v) = (1, 1), (2, 1), (3, 1), …: what comes later, such as report(sid, v) = (1, 1), tells which of them came
--   6 | SELECT DISTINCT sid, v FROM report;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to report
--         or add PUNCTUATED ON (v) to report
--         or write ALLOW UNBOUNDED after the query
