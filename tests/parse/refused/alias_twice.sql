SELECT 1 FROM item, item

-- refused
-- item is there twice in FROM
--   hint: give one of them another name: FROM a x, a y
--   1 | SELECT 1 FROM item, item
--     |                     ^^^^
