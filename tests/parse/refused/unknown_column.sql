SELECT sellerid,
  i.itmid
FROM item i

-- refused
-- there is no column itmid
--   detail: item has: sellerid, itemid, name, price, ts
--   hint: did you mean itemid?
--   2 |   i.itmid
--     |   ^^^^^^^
