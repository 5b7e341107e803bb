SELECT name FROM item WHERE (itemid, price) IN (SELECT itemid, increase FROM bid)

-- bound
-- name STRING
-- Projection name
--   SemiJoin itemid = itemid_2, price = increase
--     Source item
--     Projection itemid, increase
--       Source bid
