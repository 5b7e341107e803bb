SELECT i.name, b.increase, r.temp
FROM item i LEFT JOIN bid b ON i.itemid = b.itemid LEFT JOIN report r ON b.bidderid = r.hour JOIN bid c ON c.itemid = i.itemid

-- bound
-- name STRING, increase DOUBLE, temp DOUBLE
-- Projection name, b.increase AS increase, temp
--   Join i.itemid = c.itemid
--     LeftJoin bidderid = hour
--       LeftJoin i.itemid = b.itemid
--         Source item
--         Source bid
--       Source report
--     Source bid
