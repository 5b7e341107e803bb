SELECT nothing FROM item JOIN bid USING (itemid)

-- refused
-- there is no column nothing
--   detail: item has: sellerid, itemid, name, price, ts; bid has: bidderid, itemid, increase, fee, day
--   1 | SELECT nothing FROM item JOIN bid USING (itemid)
--     |        ^^^^^^^
