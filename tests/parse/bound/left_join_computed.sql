SELECT i.name, b.increase FROM item i LEFT JOIN bid b ON i.itemid + 1 = b.itemid AND i.sellerid = b.bidderid * 2

-- bound
-- name STRING, increase DOUBLE
-- Projection name, increase
--   Projection sellerid, i.itemid, name, price, ts, bidderid, b.itemid, increase, fee, day
--     LeftJoin (itemid + 1) = b.itemid, sellerid = (bidderid * 2)
--       Projection sellerid, itemid, name, price, ts, (itemid + 1)
--         Source item
--       Projection bidderid, itemid, increase, fee, day, (bidderid * 2)
--         Source bid
