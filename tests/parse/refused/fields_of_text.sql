SELECT name.* FROM item

-- refused
-- only a STRUCT has fields
--   detail: name is STRING
--   hint: name the column without .*
--   1 | SELECT name.* FROM item
--     |        ^^^^^^
