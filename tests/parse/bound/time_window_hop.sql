SELECT window.start, window.end, sid, COUNT(*) AS n FROM report GROUP BY sid, window(at, '10 seconds', '3 seconds')

-- bound
-- start TIMESTAMP_NTZ, end TIMESTAMP_NTZ, sid STRING, n BIGINT (,)
-- Projection start, (start + INTERVAL '10' SECOND) AS end, sid, n
--   Aggregate COUNT(*) AS n by sid, hop(at, INTERVAL '10' SECOND, INTERVAL '3' SECOND) AS start
--     Projection sid, window start AS hop(at, INTERVAL '10' SECOND, INTERVAL '3' SECOND)
--       Hop window start every 0:00:03
--         Projection sid, hour, temp, ok, at, (tumble((at - INTERVAL '10' SECOND), INTERVAL '3' SECOND) + INTERVAL '3' SECOND) AS first window, tumble(at, INTERVAL '3' SECOND) AS last window
--           Filter (NOT (at IS NULL))
--             Source report
