SELECT itemid [ROWS 5] FROM bid

-- refused
-- a window is not expected here
--   hint: a window follows a stream in FROM, before AS: FROM s [ROWS 100] AS x
--   1 | SELECT itemid [ROWS 5] FROM bid
--     |               ^^^^^^^^
