SELECT itemid FROM bid GROUP BY itemid

-- bound
-- itemid BIGINT
-- Aggregate by itemid
--   Source bid
