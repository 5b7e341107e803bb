SELECT ltrim(itemid) FROM item

-- refused
-- LTRIM does not take this type
--   detail: itemid is BIGINT
--   hint: it takes STRING as its text; write CAST(… AS STRING)
--   1 | SELECT ltrim(itemid) FROM item
--     |        ^^^^^^^^^^^^^
