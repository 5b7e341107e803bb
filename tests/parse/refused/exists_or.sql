SELECT itemid FROM bid b WHERE increase > 3 OR EXISTS (SELECT 1 FROM item i WHERE i.itemid = b.itemid)

-- refused
-- a subquery in an expression is not supported
--   hint: EXISTS and IN (SELECT …) are conditions of their own, joined with AND to others: WHERE x > 5 AND EXISTS (…)
--   1 | SELECT itemid FROM bid b WHERE increase > 3 OR EXISTS (SELECT 1 FROM item i WHERE i.itemid = b.itemid)
--     |                                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
