SELECT INTERVAL '1' DAY AS x, ts - CAST('2026-11-15' AS DATE) AS since, ts - ts < INTERVAL '1' HOUR AS near FROM item

-- bound
-- x INTERVAL DAY TO SECOND (,), since INTERVAL DAY TO SECOND, near BOOLEAN
-- Projection INTERVAL '1' DAY AS x, (CAST(ts AS TIMESTAMP_NTZ) - 2026-11-15T00:00:00) AS since, ((ts - ts) < INTERVAL '1' HOUR) AS near
--   Source item
