SELECT SUM(increase) FILTER (WHERE fee > 1) OVER (PARTITION BY itemid ORDER BY day) AS n FROM bid

-- refused
-- FILTER with OVER is not supported
--   hint: write a CASE in the function: SUM(CASE WHEN … THEN x END) OVER (…)
--   1 | SELECT SUM(increase) FILTER (WHERE fee > 1) OVER (PARTITION BY itemid ORDER BY day) AS n FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
