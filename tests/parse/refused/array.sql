SELECT name[0] FROM item

-- refused
-- […] does not take this type
--   detail: name is STRING
--   hint: it takes an ARRAY
--   1 | SELECT name[0] FROM item
--     |        ^^^^^^
