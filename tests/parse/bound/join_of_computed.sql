SELECT name FROM item i JOIN bid b ON i.itemid + 1 = b.itemid

-- bound
-- name STRING
-- Projection name
--   Join all where ((i.itemid + 1) = b.itemid)
--     Source item
--     Source bid
