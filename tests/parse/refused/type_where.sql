SELECT itemid FROM item WHERE itemid

-- refused
-- WHERE needs a condition
--   detail: itemid is BIGINT
--   hint: a condition is BOOLEAN
--   1 | SELECT itemid FROM item WHERE itemid
--     |                               ^^^^^^
