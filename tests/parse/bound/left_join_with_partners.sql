SELECT i.name, b.increase FROM item i LEFT JOIN bid b ON i.itemid = b.itemid WHERE b.increase > 2 AND i.price < 2 * 5

-- bound
-- name STRING, increase DOUBLE
-- Projection name, increase
--   Join i.itemid = b.itemid
--     Filter (price < 10.0)
--       Source item
--     Filter (increase > 2.0)
--       Source bid
