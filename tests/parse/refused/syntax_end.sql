SELECT itemid FROM

-- refused
-- the SQL cannot be parsed
--   detail: expected table name
--   1 | SELECT itemid FROM
--     |               ^^^^
