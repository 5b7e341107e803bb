SELECT name FROM item i LEFT SEMI JOIN bid b ON i.itemid = b.itemid

-- refused
-- LEFT SEMI JOIN is not supported
--   hint: supported: INNER JOIN with ON or USING, CROSS JOIN, and comma joins
--   1 | SELECT name FROM item i LEFT SEMI JOIN bid b ON i.itemid = b.itemid
--     |                         ^^^^^^^^^^^^^^^^^^^^
