SELECT itemid FROM bid b
WHERE NOT EXISTS (SELECT * FROM item i JOIN report r ON i.sellerid = r.hour AND r.temp > b.increase WHERE i.itemid = b.itemid)

-- bound
-- itemid BIGINT
-- Projection itemid
--   AntiJoin itemid = itemid_2 where (temp > increase)
--     Source bid
--     Projection itemid, temp
--       Join sellerid = hour
--         Source item
--         Source report
