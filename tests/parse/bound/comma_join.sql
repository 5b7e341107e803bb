SELECT i.name, b.increase
FROM item i, bid b
WHERE i.itemid = b.itemid AND i.sellerid > 3 AND b.increase < i.price AND b.day IS NOT NULL AND TRUE

-- bound
-- name STRING, increase DOUBLE
-- Projection name, increase
--   Filter true
--     Join i.itemid = b.itemid where (increase < price)
--       Filter (sellerid > 3)
--         Source item
--       Filter (NOT (day IS NULL))
--         Source bid
