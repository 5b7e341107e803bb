SELECT itemid FROM bid [ROWS -5]

-- refused
-- a window needs a number of rows
--   detail: found -5
--   hint: write [ROWS 100] for the last 100 rows
--   1 | SELECT itemid FROM bid [ROWS -5]
--     |                        ^^^^^^^^^
