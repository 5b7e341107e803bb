SELECT b.*, price FROM item i JOIN bid b ON i.itemid = b.itemid

-- bound
-- bidderid BIGINT, itemid BIGINT, increase DOUBLE, fee DECIMAL(38,18), day DATE, price DOUBLE
-- Projection bidderid, b.itemid AS itemid, increase, fee, day, price
--   Join i.itemid = b.itemid
--     Source item
--     Source bid
