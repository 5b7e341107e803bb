SELECT itemid FROM bid UNION SELECT name FROM item

-- refused
-- UNION needs columns of the same types
--   detail: itemid is BIGINT, name is STRING
--   hint: CAST one to the type of the other
--   1 | SELECT itemid FROM bid UNION SELECT name FROM item
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
