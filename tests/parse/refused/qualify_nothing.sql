SELECT itemid FROM bid QUALIFY itemid > 3

-- refused
-- QUALIFY needs a window function
--   hint: WHERE filters rows
--   1 | SELECT itemid FROM bid QUALIFY itemid > 3
--     |                                ^^^^^^^^^^
