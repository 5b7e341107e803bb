SELECT i.itemid, b.itemid FROM item i JOIN bid b ON i.itemid = b.itemid

-- refused
-- the column itemid occurs twice
--   hint: name one of them with AS
--   1 | SELECT i.itemid, b.itemid FROM item i JOIN bid b ON i.itemid = b.itemid
--     |                  ^^^^^^^^
