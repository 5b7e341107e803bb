SELECT itemid FROM bid b WHERE b.increase IN (SELECT MAX(price) FROM item i WHERE i.itemid = b.itemid AND b.bidderid > 3)

-- bound
-- itemid BIGINT
-- Projection itemid
--   SemiJoin itemid = itemid_2, increase = max(price) where (bidderid > 3)
--     Source bid
--     Aggregate MAX(price) AS max(price) by itemid
--       Source item
