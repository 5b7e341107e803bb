SELECT itemid FROM bid [ROWS 5] [ROWS 6]

-- refused
-- two windows stand behind one stream
--   hint: leave one out
--   1 | SELECT itemid FROM bid [ROWS 5] [ROWS 6]
--     |                                 ^^^^^^^^
