SELECT itemid FROM bid b WHERE EXISTS (SELECT itemid FROM item i WHERE i.sellerid = b.bidderid GROUP BY itemid)

-- refused
-- there is no b in FROM
--   detail: available: i
--   1 | SELECT itemid FROM bid b WHERE EXISTS (SELECT itemid FROM item i WHERE i.sellerid = b.bidderid GROUP BY itemid)
--     |                                                                                     ^^^^^^^^^^
