SELECT name FROM item, bid

-- refused
-- the join with bid has no equality
--   detail: no condition says that a column of bid equals one of item
--   hint: join ON a.x = b.y, between plain columns of one type
--   1 | SELECT name FROM item, bid
--     |                        ^^^
