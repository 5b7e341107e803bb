SELECT name FROM item i JOIN bid b ON i.name = b.itemid

-- refused
-- = needs values of the same type
--   detail: name is STRING, itemid is BIGINT
--   hint: CAST one to the type of the other
--   1 | SELECT name FROM item i JOIN bid b ON i.name = b.itemid
--     |                                       ^^^^^^^^^^^^^^^^^
