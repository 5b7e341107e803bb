SELECT itemid FROM bid WHERE (itemid > 3

-- refused
-- the SQL cannot be parsed
--   detail: expecting )
--   1 | SELECT itemid FROM bid WHERE (itemid > 3
--     |                                        ^
