SELECT a.b.c FROM bid

-- refused
-- names of more than two parts are not supported
--   hint: write table.column
--   1 | SELECT a.b.c FROM bid
--     |        ^^^^^
