SELECT itemid FROM bid b WHERE NOT EXISTS (SELECT name FROM item i WHERE i.itemid = b.itemid AND i.price < b.increase GROUP BY name)

-- bound
-- itemid BIGINT
-- Projection itemid
--   AntiJoin itemid = itemid_2 where (price < increase)
--     Source bid
--     Projection itemid, price
--       Aggregate by name, itemid, price
--         Source item
