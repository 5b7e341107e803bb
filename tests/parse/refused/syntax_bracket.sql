SELECT itemid FROM bid WHERE (itemid > 3

-- refused
-- the SQL cannot be read
--   detail: expecting )
--   1 | SELECT itemid FROM bid WHERE (itemid > 3
--     |                                        ^
