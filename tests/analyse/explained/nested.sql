-- A join of groups: the inner group-by passes on what closes its groups.
CREATE STREAM report (sid BIGINT, ts TIMESTAMP, v BIGINT, PUNCTUATED ON (sid)) USING json OPTIONS (path 'report');
CREATE STREAM sensor (sid BIGINT, zone BIGINT) USING json OPTIONS (path 'sensor');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT s.zone, MAX(t.most) AS most
FROM (SELECT sid, MAX(v) AS most FROM report GROUP BY sid) t JOIN sensor s ON t.sid = s.sid
GROUP BY s.zone;

-- explained
-- result: refused
--   group-by of report: purged by report(sid)
--   join keeps report: state grows without bound: sensor promises no punctuation on the join key
--   join keeps sensor: purged by report(sid)
--   group-by of report, sensor: state grows without bound: no input promises punctuations on the grouping columns (zone)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   8 | FROM (SELECT sid, MAX(v) AS most FROM report GROUP BY sid) t JOIN sensor s ON t.sid = s.sid
--     |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to sensor and PUNCTUATED ON (zone) to sensor
--         or write ALLOW UNBOUNDED after the query
--   plan
--     Aggregate MAX(most) AS most by zone
--       Join t.sid = s.sid
--         Aggregate MAX(v) AS most by sid
--           Source report
--         Source sensor
--   stages
--     stage 1
--       Join sid = sid #2
--         Aggregate MAX(v) by sid
--           exchange report by sid
--             Projection sid, v
--         exchange sensor by sid
--     stage 2
--       Aggregate MAX(MAX(v)) AS most by zone
--         exchange stage 1 by zone
--   plans of the join of report, sensor, the best for memory first
--     (report, sensor)  not safe
--     not split into smaller joins: no plan is safe
--   which punctuations purge which input of the join of report, sensor (punctuation graph)
--     sensor -> report  report(sid)
--     parts that cannot purge each other: report | sensor
