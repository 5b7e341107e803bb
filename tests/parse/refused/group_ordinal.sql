SELECT itemid FROM bid GROUP BY 2

-- refused
-- there is no column 2 in SELECT
--   detail: columns in SELECT: 1
--   1 | SELECT itemid FROM bid GROUP BY 2
--     |                                 ^
