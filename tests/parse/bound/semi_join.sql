SELECT name FROM item i LEFT SEMI JOIN bid b ON i.itemid = b.itemid AND b.increase > i.price

-- bound
-- name STRING
-- Projection name
--   SemiJoin i.itemid = b.itemid where (increase > price)
--     Source item
--     Source bid
