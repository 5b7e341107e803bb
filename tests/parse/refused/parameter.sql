SELECT ? FROM item

-- refused
-- ? is not supported
--   hint: supported: columns, literals, operators and functions
--   1 | SELECT ? FROM item
--     | ^^^^^^^^^^^^^^^^^^
