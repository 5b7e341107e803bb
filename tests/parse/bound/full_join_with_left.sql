SELECT i.name, b.increase FROM item i FULL JOIN bid b ON i.itemid = b.itemid WHERE i.price < 10

-- bound
-- name STRING, increase DOUBLE
-- Projection name, increase
--   LeftJoin i.itemid = b.itemid
--     Filter (price < 10.0)
--       Source item
--     Source bid
