SELECT itemid, day, min(increase) FROM bid GROUP BY 1, 2

-- bound
-- itemid BIGINT, day DATE, min(increase) DOUBLE
-- Aggregate MIN(increase) AS min(increase) by itemid, day
--   Source bid
