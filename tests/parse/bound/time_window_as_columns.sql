SELECT p.w.start, a.sid FROM (SELECT window(at, '1 day', '1 day', '6 hours') AS w, sid FROM report) p
JOIN report a ON p.sid = a.sid AND window(a.at, '1 day', '1 day', '6 hours').start = p.w.start

-- bound
-- start TIMESTAMP_NTZ, sid STRING
-- Projection w.start AS start, a.sid AS sid
--   Join p.sid = a.sid where (tumble(at, INTERVAL '1' DAY, INTERVAL '6' HOUR) = w.start)
--     Projection tumble(at, INTERVAL '1' DAY, INTERVAL '6' HOUR) AS w.start, (tumble(at, INTERVAL '1' DAY, INTERVAL '6' HOUR) + INTERVAL '1' DAY) AS w.end, sid
--       Filter (NOT (at IS NULL))
--         Source report
--     Source report
