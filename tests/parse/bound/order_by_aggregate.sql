SELECT itemid FROM bid GROUP BY itemid ORDER BY sum(increase)

-- bound
-- itemid BIGINT
-- Projection itemid
--   OrderBy sum(increase)
--     Aggregate SUM(increase) AS sum(increase) by itemid
--       Source bid
