SELECT itemid FROM bid [RANGE 5 MINUTES]

-- refused
-- windows of a time are not supported
--   detail: how many rows come in a time is not known, so they would not be bounded
--   hint: write [ROWS 100] for the last 100 rows
--   1 | SELECT itemid FROM bid [RANGE 5 MINUTES]
--     |                        ^^^^^^^^^^^^^^^^^
