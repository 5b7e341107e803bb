SELECT itemid FROM bid INTERSECT ALL SELECT itemid FROM item

-- refused
-- INTERSECT ALL is not supported
--   hint: INTERSECT and UNION ALL are
--   1 | SELECT itemid FROM bid INTERSECT ALL SELECT itemid FROM item
--     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
