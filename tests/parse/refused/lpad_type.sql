SELECT lpad(itemid, 5, '0') FROM item

-- refused
-- LPAD does not take this type
--   detail: itemid is BIGINT
--   hint: it takes STRING as its text; write CAST(… AS STRING)
--   1 | SELECT lpad(itemid, 5, '0') FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^
