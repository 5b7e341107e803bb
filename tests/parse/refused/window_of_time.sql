SELECT itemid FROM bid [RANGE 5 MINUTES]

-- refused
-- time windows are not supported
--   detail: the number of rows in a time span is unknown, so the window would not be bounded
--   hint: write [ROWS 100] for the last 100 rows
--   1 | SELECT itemid FROM bid [RANGE 5 MINUTES]
--     |                        ^^^^^^^^^^^^^^^^^
