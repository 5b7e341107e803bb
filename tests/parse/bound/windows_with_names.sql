SELECT sid, LAG(hour) OVER w AS h, SUM(temp) OVER (v RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) AS t
FROM report QUALIFY ROW_NUMBER() OVER w = 1
WINDOW w AS (PARTITION BY sid ORDER BY at), v AS (w)

-- bound
-- sid STRING, h BIGINT, t DOUBLE
-- Projection sid, h, t
--   Ranked ROW_NUMBER AS row_number up to 1 by sid order at
--     Over SUM(temp) AS t of 3600000000 steps before and peers by sid order at
--       Over LAG(hour) AS h of 1 before by sid order at
--         Projection sid, hour, temp, at
--           Source report
