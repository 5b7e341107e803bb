SELECT itemid FROM bid ORDER BY itemid LIMIT 0

-- refused
-- this LIMIT is not supported
--   hint: write LIMIT and a whole number from 1 on
--   1 | SELECT itemid FROM bid ORDER BY itemid LIMIT 0
--     |                                        ^^^^^^^
