SELECT soundex(name) FROM item

-- refused
-- the function SOUNDEX is not supported
--   hint: docs/functions.md lists all
--   1 | SELECT soundex(name) FROM item
--     |        ^^^^^^^^^^^^^
