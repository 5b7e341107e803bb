SELECT itemid FROM bid UNION SELECT itemid, name FROM item

-- refused
-- UNION needs two queries with the same number of columns
--   detail: the left one has 1, the right one 2
--   1 | SELECT itemid FROM bid UNION SELECT itemid, name FROM item
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
