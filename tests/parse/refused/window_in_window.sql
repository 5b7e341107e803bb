SELECT RANK() OVER (PARTITION BY itemid ORDER BY RANK() OVER (ORDER BY day)) FROM bid

-- refused
-- a window function is not allowed in SELECT, nor within another one
--   hint: compute it in a subquery, or filter by it in QUALIFY
--   1 | SELECT RANK() OVER (PARTITION BY itemid ORDER BY RANK() OVER (ORDER BY day)) FROM bid
--     |                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^
