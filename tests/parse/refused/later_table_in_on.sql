SELECT 1 FROM item i JOIN bid b ON i.itemid = c.itemid JOIN bid c ON b.itemid = c.itemid

-- refused
-- there is no c in FROM
--   detail: available: i, b
--   1 | SELECT 1 FROM item i JOIN bid b ON i.itemid = c.itemid JOIN bid c ON b.itemid = c.itemid
--     |                                               ^^^^^^^^
