SELECT i.name FROM item i FULL JOIN bid b ON i.itemid = b.itemid

-- refused
-- FULL JOIN is not supported
--   hint: supported: INNER JOIN with ON or USING, CROSS JOIN, and comma joins
--   1 | SELECT i.name FROM item i FULL JOIN bid b ON i.itemid = b.itemid
--     |                           ^^^^^^^^^^^^^^^
