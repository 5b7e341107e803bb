SELECT current_timestamp() FROM item

-- refused
-- the function CURRENT_TIMESTAMP is not supported
--   hint: did you mean UNIX_TIMESTAMP or TO_TIMESTAMP? docs/functions.md lists all
--   1 | SELECT current_timestamp() FROM item
--     |        ^^^^^^^^^^^^^^^^^^^
