SELECT itemid FROM bid WHERE itemid IN (1, bidderid)

-- bound
-- itemid BIGINT
-- Projection itemid
--   Filter ((itemid = 1) OR (itemid = bidderid))
--     Source bid
