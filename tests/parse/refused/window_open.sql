SELECT itemid FROM bid [ROWS 5

-- refused
-- a window has no ]
--   hint: write [ROWS 100] for the last 100 rows
--   1 | SELECT itemid FROM bid [ROWS 5
--     |                        ^^^^^^^
