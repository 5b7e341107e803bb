SELECT 1 FROM item, item

-- refused
-- item occurs twice in FROM
--   hint: use different aliases: FROM a x, a y
--   1 | SELECT 1 FROM item, item
--     |                     ^^^^
