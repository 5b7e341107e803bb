SELECT itemid FROM bid b WHERE EXISTS (
  SELECT 1 FROM item i WHERE i.itemid = b.itemid AND NOT EXISTS (SELECT 1 FROM report r WHERE r.hour = b.itemid))

-- bound
-- itemid BIGINT
-- Projection itemid
--   SemiJoin itemid = itemid_2
--     Source bid
--     Projection itemid
--       AntiJoin itemid = hour
--         Source item
--         Projection hour
--           Source report
