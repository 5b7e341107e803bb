SELECT i.name, b.increase
FROM item i LEFT OUTER JOIN bid b ON i.itemid = b.itemid AND b.increase > 5 AND i.price > 3 AND b.increase < i.price
WHERE i.sellerid = 7 AND b.bidderid IS NULL

-- bound
-- name STRING, increase DOUBLE
-- Projection name, increase
--   Filter (bidderid IS NULL)
--     LeftJoin i.itemid = b.itemid where ((price > 3.0) AND (increase < price))
--       Filter (sellerid = 7)
--         Source item
--       Filter (increase > 5.0)
--         Source bid
