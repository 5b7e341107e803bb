SELECT itemid FROM bid b WHERE EXISTS (
  SELECT 1 FROM item i WHERE i.itemid = b.itemid AND EXISTS (SELECT 1 FROM report r WHERE r.hour = b.bidderid))

-- bound
-- itemid BIGINT
-- Projection itemid
--   SemiJoin itemid = itemid_2, bidderid = hour
--     Source bid
--     Projection itemid, hour
--       Join all
--         Source item
--         Projection hour
--           Source report
