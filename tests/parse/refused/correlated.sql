SELECT b.itemid FROM bid b JOIN (SELECT itemid FROM item WHERE price > b.increase) i ON b.itemid = i.itemid

-- refused
-- there is no b in FROM
--   detail: available: item
--   1 | SELECT b.itemid FROM bid b JOIN (SELECT itemid FROM item WHERE price > b.increase) i ON b.itemid = i.itemid
--     |                                                                        ^^^^^^^^^^
