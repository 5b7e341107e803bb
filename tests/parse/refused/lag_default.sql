SELECT LAG(increase, 2, 'none') OVER (PARTITION BY itemid ORDER BY day) AS was FROM bid

-- refused
-- LAG needs a default of the type of its value
--   detail: none is STRING, LAG(increase, 2) OVER (PARTITION BY itemid ORDER BY day) is DOUBLE
--   hint: CAST one to the type of the other
--   1 | SELECT LAG(increase, 2, 'none') OVER (PARTITION BY itemid ORDER BY day) AS was FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
