SELECT itemid FROM bid AS b [ROWS 5]

-- refused
-- a window is not expected here
--   hint: a window follows a stream in FROM, before AS: FROM s [ROWS 100] AS x
--   1 | SELECT itemid FROM bid AS b [ROWS 5]
--     |                             ^^^^^^^^
