SELECT session_window, sid, SUM(temp * 2) AS total FROM report GROUP BY sid, session_window(at, '10 seconds')

-- bound
-- session_window.start TIMESTAMP_NTZ, session_window.end TIMESTAMP_NTZ, sid STRING, total DOUBLE
-- Projection session_window.start, session_window.end, sid, total
--   Sessions SUM((temp * 2)) by sid, session_start(at, INTERVAL '10' SECOND) within 10 seconds
--     Projection sid, at AS session_start(at, INTERVAL '10' SECOND), (at + INTERVAL '10' SECOND) AS session_end(at, INTERVAL '10' SECOND), (temp * 2.0) AS (temp * 2)
--       Filter (NOT (at IS NULL))
--         Source report
