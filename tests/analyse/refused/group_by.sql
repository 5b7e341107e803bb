-- A scheme that speaks of more than the groups.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (sid, v)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT sid, MAX(v) AS most FROM report GROUP BY sid;

-- checked
-- result: refused
--   group-by of report: never purged, because it lacks a scheme on nothing but sid
--   without punctuations not in bounded memory: sid of report is grouped by, and its values are without end (C1)
--   none can be forgotten of report(sid, v) = (1, 1), (2, 1), (3, 1), …: what comes later, such as report(sid, v) = (1, 1), tells which of them came
--   6 | SELECT sid, MAX(v) AS most FROM report GROUP BY sid;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to report
--         or write ALLOW UNBOUNDED after the query
