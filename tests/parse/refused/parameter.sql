SELECT ? FROM item

-- refused
-- ? is not supported
--   hint: supported are columns, literals, operators and functions
--   1 | SELECT ? FROM item
--     | ^^^^^^^^^^^^^^^^^^
