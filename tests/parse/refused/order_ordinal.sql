SELECT itemid FROM bid ORDER BY 3

-- refused
-- there is no column 3 in SELECT
--   detail: columns in SELECT: 1
--   1 | SELECT itemid FROM bid ORDER BY 3
--     |                                 ^
