SELECT itemid FROM bid b
WHERE EXISTS (SELECT itemid FROM item i WHERE i.price < b.increase GROUP BY itemid HAVING COUNT(*) > 2)

-- refused
-- this condition cannot stand below GROUP BY
--   detail: which rows (price < increase) leaves depends on the row outside
--   hint: below an aggregate, an equality may name a column of the query around it: b.k = a.k
--   2 | WHERE EXISTS (SELECT itemid FROM item i WHERE i.price < b.increase GROUP BY itemid HAVING COUNT(*) > 2)
--     |                                               ^^^^^^^^^^^^^^^^^^^^
