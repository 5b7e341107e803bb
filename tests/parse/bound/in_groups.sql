SELECT itemid FROM bid WHERE itemid IN (SELECT itemid FROM item GROUP BY itemid HAVING COUNT(*) > 2)

-- bound
-- itemid BIGINT
-- Projection itemid
--   SemiJoin itemid = itemid_2
--     Source bid
--     Projection itemid
--       Filter (count(1) > 2)
--         Aggregate COUNT(*) AS count(1) by itemid
--           Source item
