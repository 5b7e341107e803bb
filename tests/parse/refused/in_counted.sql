SELECT itemid FROM bid b WHERE b.bidderid IN (SELECT COUNT(*) FROM item i WHERE i.itemid = b.itemid)

-- refused
-- a subquery with an aggregate needs GROUP BY here
--   detail: without it there is a group even where no row fits, and that is not looked for
--   hint: add GROUP BY
--   1 | SELECT itemid FROM bid b WHERE b.bidderid IN (SELECT COUNT(*) FROM item i WHERE i.itemid = b.itemid)
--     |                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
