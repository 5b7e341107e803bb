SELECT name FROM item WHERE itemid NOT IN (SELECT itemid FROM bid)

-- bound
-- name STRING
-- Projection name
--   AntiJoin all where ((itemid = itemid_2) OR (itemid IS NULL) OR (itemid_2 IS NULL))
--     Source item
--     Projection itemid
--       Source bid
