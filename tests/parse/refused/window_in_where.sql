SELECT itemid FROM bid WHERE RANK() OVER (PARTITION BY itemid ORDER BY day) = 1

-- refused
-- a window function is not allowed in WHERE, nor within another one
--   hint: compute it in a subquery, or filter by it in QUALIFY
--   1 | SELECT itemid FROM bid WHERE RANK() OVER (PARTITION BY itemid ORDER BY day) = 1
--     |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
