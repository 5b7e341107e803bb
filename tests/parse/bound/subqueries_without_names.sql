SELECT increase FROM (SELECT itemid AS k FROM item), (SELECT itemid, increase FROM bid) WHERE k = itemid

-- bound
-- increase DOUBLE
-- Projection increase
--   Join k = itemid
--     Projection itemid AS k
--       Source item
--     Projection itemid, increase
--       Source bid
