SELECT itemid FROM bid EXCEPT ALL SELECT itemid FROM item

-- refused
-- EXCEPT ALL is not supported
--   hint: EXCEPT and UNION ALL are
--   1 | SELECT itemid FROM bid EXCEPT ALL SELECT itemid FROM item
--     |                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
