SELECT itemid FROM bid b WHERE EXISTS (
  SELECT 1 FROM item i WHERE i.itemid = b.itemid AND EXISTS (SELECT 1 FROM report r WHERE r.hour = b.bidderid))

-- refused
-- there is no b in FROM
--   detail: available: r
--   2 |   SELECT 1 FROM item i WHERE i.itemid = b.itemid AND EXISTS (SELECT 1 FROM report r WHERE r.hour = b.bidderid))
--     |                                                                                                    ^^^^^^^^^^
