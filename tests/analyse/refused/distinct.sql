-- No scheme on what is left of the columns.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT DISTINCT sid, v FROM report;

-- checked
-- result: refused
--   dupelim of report: state grows without bound: its input promises no punctuations on any of its columns (sid, v)
--   without punctuations, memory is unbounded: sid of report is in the result, and the column's domain is unbounded (C1)
--   counterexample: all of report(sid, v) = (1, 1), (2, 1), (3, 1), … must be kept, because later rows such as report(sid, v) = (1, 1) would tell them apart
--   6 | SELECT DISTINCT sid, v FROM report;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to report
--         or add PUNCTUATED ON (v) to report
--         or write ALLOW UNBOUNDED after the query
