SELECT sid, window_start, window_end, COUNT(*) AS n
FROM TABLE(SESSION(TABLE report PARTITION BY sid, DESCRIPTOR(at), INTERVAL '10' SECOND))
GROUP BY sid, window_start, window_end

-- bound
-- sid STRING, window_start TIMESTAMP_NTZ (,), window_end TIMESTAMP_NTZ (,), n BIGINT (,)
-- Sessions COUNT(*) by sid, window_start within 10 seconds
--   Projection sid, hour, temp, ok, at, at AS window_start, (at + INTERVAL '10' SECOND) AS window_end
--     Filter (NOT (at IS NULL))
--       Source report
