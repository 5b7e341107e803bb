SELECT transform(name, x -> x + 1) FROM item

-- refused
-- the function TRANSFORM is not supported
--   hint: docs/functions.md lists all
--   1 | SELECT transform(name, x -> x + 1) FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
