SELECT itemid FROM bid b
WHERE increase > 3 AND EXISTS (SELECT 1 FROM item i WHERE i.itemid = b.itemid AND i.price > b.increase AND name = 'x')

-- bound
-- itemid BIGINT
-- Projection itemid
--   SemiJoin itemid = itemid_2 where (price > increase)
--     Filter (increase > 3.0)
--       Source bid
--     Projection itemid, price
--       Filter (name = 'x')
--         Source item
