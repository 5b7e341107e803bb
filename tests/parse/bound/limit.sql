SELECT itemid FROM bid ORDER BY increase DESC LIMIT 10

-- bound
-- itemid BIGINT
-- Projection itemid
--   OrderBy increase DESC up to 10
--     Projection itemid, increase
--       Source bid
