SELECT name FROM item, bid

-- bound
-- name STRING
-- Projection name
--   Join all
--     Source item
--     Source bid
