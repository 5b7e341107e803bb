SELECT i.name, b.increase
FROM item i LEFT JOIN bid b ON i.itemid = b.itemid AND i.itemid = b.bidderid AND b.itemid = i.sellerid AND b.itemid = i.itemid

-- bound
-- name STRING, increase DOUBLE
-- Projection name, increase
--   LeftJoin i.itemid = b.itemid where (i.itemid = sellerid)
--     Source item
--     Filter (itemid = bidderid)
--       Source bid
