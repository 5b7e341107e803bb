SELECT b.itemid FROM item i, bid b WHERE i.itemid = b.itemid AND i.ts = b.day

-- refused
-- = needs values of the same type
--   detail: ts is TIMESTAMP, day is DATE
--   hint: CAST one to the type of the other
--   1 | SELECT b.itemid FROM item i, bid b WHERE i.itemid = b.itemid AND i.ts = b.day
--     |                                                                  ^^^^^^^^^^^^
