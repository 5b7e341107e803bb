SELECT name FROM item i JOIN bid b ON i.itemid < b.itemid

-- refused
-- the join with b has no equality
--   detail: no condition says that a column of b equals one of i
--   hint: join ON a.x = b.y, between plain columns of one type
--   1 | SELECT name FROM item i JOIN bid b ON i.itemid < b.itemid
--     |                              ^^^^^
