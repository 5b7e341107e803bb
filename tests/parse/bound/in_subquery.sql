SELECT itemid FROM bid WHERE itemid IN (SELECT itemid FROM item WHERE price > 5)

-- bound
-- itemid BIGINT
-- Projection itemid
--   SemiJoin itemid = itemid_2
--     Source bid
--     Projection itemid
--       Filter (price > 5.0)
--         Source item
