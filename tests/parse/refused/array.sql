SELECT name[0] FROM item

-- refused
-- name[0] is not supported
--   hint: supported: split(text, pattern)[0]
--   1 | SELECT name[0] FROM item
--     |        ^^^^^^
