SELECT lower(name, name) FROM item

-- refused
-- LOWER takes another number of arguments
--   detail: there are 2
--   hint: it is lower(text STRING) -> STRING
--   1 | SELECT lower(name, name) FROM item
--     |        ^^^^^^^^^^^^^^^^^
