SELECT my_function(name, 1) FROM item

-- refused
-- the function MY_FUNCTION is not supported
--   hint: docs/functions.md lists all
--   1 | SELECT my_function(name, 1) FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^
