SELECT itemid FROM bid [ROWS 5] [ROWS 6]

-- refused
-- a stream has two windows
--   hint: remove one of them
--   1 | SELECT itemid FROM bid [ROWS 5] [ROWS 6]
--     |                                 ^^^^^^^^
