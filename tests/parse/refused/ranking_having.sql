SELECT itemid FROM bid GROUP BY itemid HAVING ROW_NUMBER() OVER (ORDER BY itemid) = 1

-- refused
-- a window function is not allowed in HAVING, nor within another one
--   hint: compute it in a subquery, or filter by it in QUALIFY
--   1 | SELECT itemid FROM bid GROUP BY itemid HAVING ROW_NUMBER() OVER (ORDER BY itemid) = 1
--     |                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
