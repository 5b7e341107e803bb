SELECT window_start, window_end, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE report, DESCRIPTOR(at), INTERVAL '10' MINUTES, INTERVAL '5' MINUTES)) AS r
WHERE r.temp > 0
GROUP BY window_start, window_end

-- bound
-- window_start TIMESTAMP_NTZ, window_end TIMESTAMP_NTZ, n BIGINT (,)
-- Aggregate COUNT(*) AS n by window_start, window_end
--   Filter (temp > 0.0)
--     Projection sid, hour, temp, ok, at, tumble(at, INTERVAL '10' MINUTE, INTERVAL '5' MINUTE) AS window_start, (tumble(at, INTERVAL '10' MINUTE, INTERVAL '5' MINUTE) + INTERVAL '10' MINUTE) AS window_end, ((tumble(at, INTERVAL '10' MINUTE, INTERVAL '5' MINUTE) + INTERVAL '10' MINUTE) - INTERVAL '1000' MICROSECOND) AS window_time
--       Filter (NOT (at IS NULL))
--         Source report
