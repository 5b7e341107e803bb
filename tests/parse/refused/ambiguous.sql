SELECT itemid FROM item i JOIN bid b ON i.itemid = b.itemid

-- refused
-- the column itemid is ambiguous
--   hint: write i.itemid or b.itemid
--   1 | SELECT itemid FROM item i JOIN bid b ON i.itemid = b.itemid
--     |        ^^^^^^
