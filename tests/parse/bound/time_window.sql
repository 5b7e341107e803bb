SELECT window.start, window.end, window_time(window) AS last, sid, COUNT(*) AS n
FROM report GROUP BY window(at, '10 seconds'), sid HAVING window.end > TIMESTAMP_NTZ '2026-11-18 00:00:00'

-- bound
-- start TIMESTAMP_NTZ, end TIMESTAMP_NTZ, last TIMESTAMP_NTZ, sid STRING, n BIGINT (,)
-- Projection start, (start + INTERVAL '10' SECOND) AS end, ((start + INTERVAL '10' SECOND) - INTERVAL '1' MICROSECOND) AS last, sid, n
--   Filter ((start + INTERVAL '10' SECOND) > 2026-11-18T00:00:00)
--     Aggregate COUNT(*) AS n by tumble(at, INTERVAL '10' SECOND) AS start, sid
--       Projection tumble(at, INTERVAL '10' SECOND), sid
--         Filter (NOT (at IS NULL))
--           Source report
