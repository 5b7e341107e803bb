SELECT i.name, b.increase, COALESCE(i.itemid, b.itemid) AS id
FROM item i FULL JOIN bid b ON i.itemid = b.itemid AND b.increase > 5 WHERE i.price > 3

-- bound
-- name STRING, increase DOUBLE, id BIGINT
-- Projection name, increase, coalesce(i.itemid, b.itemid) AS id
--   LeftJoin i.itemid = b.itemid where (increase > 5.0)
--     Filter (price > 3.0)
--       Source item
--     Source bid
