SELECT itemid FROM bid [ROWS 0]

-- refused
-- a window has 1 to 1000000000 rows
--   detail: not 0
--   hint: write [ROWS 100] for the last 100 rows
--   1 | SELECT itemid FROM bid [ROWS 0]
--     |                        ^^^^^^^^
