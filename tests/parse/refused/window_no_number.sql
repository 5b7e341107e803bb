SELECT itemid FROM bid [ROWS many]

-- refused
-- a window needs a number of rows
--   detail: found many
--   hint: write [ROWS 100] for the last 100 rows
--   1 | SELECT itemid FROM bid [ROWS many]
--     |                        ^^^^^^^^^^^
