SELECT itemid FROM bid WHERE increase > (SELECT MAX(price) FROM item)

-- refused
-- a subquery in an expression is not supported
--   hint: EXISTS and IN (SELECT …) are conditions of their own, joined with AND to others: WHERE x > 5 AND EXISTS (…)
--   1 | SELECT itemid FROM bid WHERE increase > (SELECT MAX(price) FROM item)
--     |                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
