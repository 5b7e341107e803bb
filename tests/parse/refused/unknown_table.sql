SELECT x.itemid FROM item i

-- refused
-- there is no x in FROM
--   detail: available: i
--   1 | SELECT x.itemid FROM item i
--     |        ^^^^^^^^
