SELECT FIRST_VALUE(increase) IGNORE NULLS OVER (PARTITION BY itemid ORDER BY day) AS n FROM bid

-- refused
-- IGNORE NULLS with OVER is not supported
--   hint: take them out in a subquery: WHERE x IS NOT NULL
--   1 | SELECT FIRST_VALUE(increase) IGNORE NULLS OVER (PARTITION BY itemid ORDER BY day) AS n FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
