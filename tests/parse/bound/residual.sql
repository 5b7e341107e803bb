SELECT i.itemid FROM item i JOIN bid b ON i.itemid = b.itemid AND i.sellerid <> b.bidderid WHERE i.price + 1 = b.increase

-- bound
-- itemid BIGINT
-- Projection i.itemid AS itemid
--   Join i.itemid = b.itemid where ((sellerid <> bidderid) AND ((price + 1.0) = increase))
--     Source item
--     Source bid
