SELECT itemid FROM bid EXCEPT ALL SELECT itemid FROM item

-- refused
-- EXCEPT ALL is not supported
--   hint: use EXCEPT or UNION ALL
--   1 | SELECT itemid FROM bid EXCEPT ALL SELECT itemid FROM item
--     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
