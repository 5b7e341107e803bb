SELECT name FROM item i LEFT ANTI JOIN bid b ON i.itemid = b.itemid

-- refused
-- LEFT ANTI JOIN is not supported
--   hint: supported: INNER JOIN with ON or USING, CROSS JOIN, and comma joins
--   1 | SELECT name FROM item i LEFT ANTI JOIN bid b ON i.itemid = b.itemid
--     |                         ^^^^^^^^^^^^^^^^^^^^
