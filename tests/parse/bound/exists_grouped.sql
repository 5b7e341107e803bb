SELECT itemid FROM bid b WHERE EXISTS (SELECT itemid FROM item i WHERE i.sellerid = b.bidderid GROUP BY itemid)

-- bound
-- itemid BIGINT
-- Projection itemid
--   SemiJoin bidderid = sellerid
--     Source bid
--     Projection sellerid
--       Aggregate by itemid, sellerid
--         Source item
