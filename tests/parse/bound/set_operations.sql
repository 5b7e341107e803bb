SELECT itemid FROM item UNION SELECT itemid AS x FROM bid UNION ALL SELECT sellerid FROM item
EXCEPT SELECT bidderid FROM bid ORDER BY itemid

-- bound
-- itemid BIGINT
-- OrderBy itemid
--   Except
--     UnionAll
--       Union
--         Projection itemid
--           Source item
--         Projection itemid
--           Source bid
--       Projection sellerid AS itemid
--         Source item
--     Projection bidderid AS itemid
--       Source bid
