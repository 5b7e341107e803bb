SELECT itemid FROM bid WHERE itemid + 1 IN (SELECT itemid * 2 FROM item)

-- bound
-- itemid BIGINT
-- Projection itemid
--   Projection bidderid, itemid, increase, fee, day
--     SemiJoin (itemid + 1) = (itemid * 2)
--       Projection bidderid, itemid, increase, fee, day, (itemid + 1)
--         Source bid
--       Projection itemid, (itemid * 2)
--         Projection itemid
--           Source item
