-- A scheme that speaks of more than the groups.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (sid, v)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT sid, MAX(v) AS most FROM report GROUP BY sid;

-- checked
-- result: refused
--   group-by of report: state grows without bound: no input promises punctuations on the grouping columns (sid)
--   without punctuations, memory is unbounded: sid of report is a grouping column, and the column's domain is unbounded (C1)
--   counterexample: all of report(sid, v) = (1, 1), (2, 1), (3, 1), … must be kept, because later rows such as report(sid, v) = (1, 1) would tell them apart
--   6 | SELECT sid, MAX(v) AS most FROM report GROUP BY sid;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to report
--         or write ALLOW UNBOUNDED after the query
