-- A group-by and a sort by the same column: one scheme is enough for both.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT ts, MAX(v) AS most FROM report GROUP BY ts ORDER BY ts;

-- checked
-- result: refused
--   group-by of report: state grows without bound: no input promises punctuations on the grouping columns (ts)
--   sort of report: state grows without bound: its input promises no punctuations in sort order (ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT ts, MAX(v) AS most FROM report GROUP BY ts ORDER BY ts;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (ts ASC) to report
--         or write ALLOW UNBOUNDED after the query
