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
--   join keeps report: never purged, because no scheme reaches sensor
--   group-by of report, sensor: never purged, because it lacks a scheme on nothing but zone
--   without punctuations not in bounded memory: it is not one select-project-join with at most one DISTINCT or GROUP BY on top
--   8 | FROM (SELECT sid, MAX(v) AS most FROM report GROUP BY sid) t JOIN sensor s ON t.sid = s.sid
--     |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (sid) to sensor and PUNCTUATED ON (zone) to sensor
--         or write ALLOW UNBOUNDED after the query
