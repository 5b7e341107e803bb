SELECT name FROM item i LEFT JOIN bid b JOIN report r ON b.bidderid = r.hour ON i.itemid = b.itemid

-- refused
-- a join in brackets is not supported
--   hint: use a subquery
--   1 | SELECT name FROM item i LEFT JOIN bid b JOIN report r ON b.bidderid = r.hour ON i.itemid = b.itemid
--     |                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
