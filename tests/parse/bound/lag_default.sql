SELECT itemid, LAG(increase, 2, 0.0) OVER (PARTITION BY itemid ORDER BY day) AS was FROM bid

-- bound
-- itemid BIGINT, was DOUBLE
-- Projection itemid, (IF((lag IS NULL), 0.0, lag_2)) AS was
--   Over LAG(increase) AS lag_2 of 2 before by itemid order day
--     Over LAG(1) AS lag of 2 before by itemid order day
--       Projection itemid, increase, day, 1
--         Source bid
