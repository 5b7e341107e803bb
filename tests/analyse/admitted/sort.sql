-- Sorting by a column whose order is promised, after a join.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (ts ASC), PUNCTUATED ON (sid)) USING json OPTIONS (path 'report');
CREATE STREAM sensor (sid BIGINT, zone BIGINT, PUNCTUATED ON (sid)) USING json OPTIONS (path 'sensor');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT r.ts, s.zone FROM (SELECT sid, ts FROM report) r JOIN sensor s ON r.sid = s.sid ORDER BY r.ts;

-- checked
-- result: admitted
--   join keeps report: purged by sensor(sid)
--   join keeps sensor: purged by report(sid)
--   sort of report, sensor: purged by report(ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
