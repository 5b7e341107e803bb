-- A group-by and a sort by the same column: one scheme is enough for both.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT ts, MAX(v) AS most FROM report GROUP BY ts ORDER BY ts;

-- checked
-- result: refused
--   group-by of report: never purged, because it lacks a scheme on nothing but ts
--   sort of report: never purged, because it lacks a scheme on ts ASC
--   without punctuations not in bounded memory: it is not one select-project-join with at most one DISTINCT or GROUP BY on top
--   6 | SELECT ts, MAX(v) AS most FROM report GROUP BY ts ORDER BY ts;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (ts ASC) to report
--         or write ALLOW UNBOUNDED after the query
