SELECT itemid, price FROM item INTERSECT SELECT itemid, itemid AS price FROM bid

-- bound
-- itemid BIGINT, price DOUBLE
-- Intersect
--   Projection itemid, price
--     Source item
--   Projection itemid, CAST(itemid AS DOUBLE) AS price
--     Source bid
