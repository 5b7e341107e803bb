-- Equality punctuations close no prefix.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts)) USING json OPTIONS (path 'report');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT * FROM report ORDER BY ts, sid;

-- checked
-- result: refused
--   sort of report: state grows without bound: its input promises no punctuations in sort order (ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT * FROM report ORDER BY ts, sid;
--     |                               ^^^^^^^
--   hint: add PUNCTUATED ON (ts ASC) to report
--         or write ALLOW UNBOUNDED after the query
