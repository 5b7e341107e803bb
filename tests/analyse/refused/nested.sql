-- A join of groups: the inner group-by passes on what closes its groups.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (sid)) USING json OPTIONS (path 'report');
CREATE STREAM sensor (sid BIGINT, zone BIGINT) USING json OPTIONS (path 'sensor');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s.zone, MAX(t.most) AS most
FROM (SELECT sid, MAX(v) AS most FROM report GROUP BY sid) t JOIN sensor s ON t.sid = s.sid
GROUP BY s.zone;

-- checked
-- result: refused
--   join keeps report: state grows without bound: sensor promises no punctuation on the join key
--   group-by of report, sensor: state grows without bound: no input promises punctuations on the grouping columns (zone)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   8 | FROM (SELECT sid, MAX(v) AS most FROM report GROUP BY sid) t JOIN sensor s ON t.sid = s.sid
--     |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to sensor and PUNCTUATED ON (zone) to sensor
--         or write ALLOW UNBOUNDED after the query
