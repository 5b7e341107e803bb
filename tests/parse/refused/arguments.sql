SELECT lower(name, name) FROM item

-- refused
-- the SQL cannot be parsed
--   detail: there are too many arguments
--   1 | SELECT lower(name, name) FROM item
--     |                        ^
