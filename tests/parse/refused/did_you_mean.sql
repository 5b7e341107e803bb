SELECT lenght(name) FROM item

-- refused
-- the function LENGHT is not supported
--   hint: did you mean LENGTH? docs/functions.md lists all
--   1 | SELECT lenght(name) FROM item
--     |        ^^^^^^^^^^^^
