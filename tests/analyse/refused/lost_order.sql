-- An order that is turned round between two joins does not sort.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (v ASC), PUNCTUATED ON (sid)) USING json OPTIONS (path 'report');
CREATE STREAM sensor (sid BIGINT, zone BIGINT, PUNCTUATED ON (sid)) USING json OPTIONS (path 'sensor');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT t.less, t.zone FROM (SELECT 5 - r.v AS less, s.zone FROM report r JOIN sensor s ON r.sid = s.sid) t ORDER BY t.less;

-- checked
-- result: refused
--   sort of report, sensor: state grows without bound: its input promises no punctuations in sort order (less ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   7 | SELECT t.less, t.zone FROM (SELECT 5 - r.v AS less, s.zone FROM report r JOIN sensor s ON r.sid = s.sid) t ORDER BY t.less;
--     |                                                                                                                     ^^^^^^
--   hint: add PUNCTUATED ON (v DESC) to report
--         or write ALLOW UNBOUNDED after the query
