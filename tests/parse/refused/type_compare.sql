SELECT itemid FROM item WHERE itemid = 'a'

-- refused
-- = needs values of the same type
--   detail: itemid is BIGINT, a is STRING
--   hint: CAST one to the type of the other
--   1 | SELECT itemid FROM item WHERE itemid = 'a'
--     |                               ^^^^^^^^^^^^
