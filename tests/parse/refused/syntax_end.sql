SELECT itemid FROM

-- refused
-- the SQL cannot be read
--   detail: expected table name
--   1 | SELECT itemid FROM
--     |               ^^^^
