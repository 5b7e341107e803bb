SELECT name FROM item i JOIN bid b ON i.itemid < b.itemid

-- bound
-- name STRING
-- Projection name
--   Join all where (i.itemid < b.itemid)
--     Source item
--     Source bid
