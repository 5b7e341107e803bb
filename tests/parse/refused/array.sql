SELECT name[0] FROM item

-- refused
-- name[0] is not supported
--   hint: supported: columns, literals, operators and functions
--   1 | SELECT name[0] FROM item
--     |        ^^^^^^
