SELECT name FROM item CROSS JOIN bid

-- bound
-- name STRING
-- Projection name
--   Join all
--     Source item
--     Source bid
