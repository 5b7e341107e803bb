SELECT a.bidderid, b.bidderid AS other FROM bid a JOIN bid b ON a.itemid = b.itemid AND a.bidderid < b.bidderid

-- bound
-- bidderid BIGINT, other BIGINT
-- Projection a.bidderid AS bidderid, b.bidderid AS other
--   Join a.itemid = b.itemid where (a.bidderid < b.bidderid)
--     Source bid
--     Source bid
