SELECT itemid FROM bid INTERSECT ALL SELECT itemid FROM item

-- refused
-- INTERSECT ALL is not supported
--   hint: use INTERSECT or UNION ALL
--   1 | SELECT itemid FROM bid INTERSECT ALL SELECT itemid FROM item
--     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
