SELECT itemid, COUNT(*) AS bids, RANK() OVER (PARTITION BY itemid ORDER BY COUNT(*) DESC NULLS FIRST) AS r
FROM bid GROUP BY itemid, bidderid QUALIFY 2 > r

-- bound
-- itemid BIGINT, bids BIGINT (,), r BIGINT 1
-- Ranked RANK AS r up to 1 by itemid order bids DESC NULLS FIRST
--   Projection itemid, bids
--     Aggregate COUNT(*) AS bids by itemid, bidderid
--       Source bid
