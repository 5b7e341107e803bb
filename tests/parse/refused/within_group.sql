SELECT itemid, percentile_cont(0.5) WITHIN GROUP (ORDER BY increase) AS m FROM bid GROUP BY itemid

-- refused
-- WITHIN GROUP is not supported
--   hint: write PERCENTILE(x, 0.5)
--   1 | SELECT itemid, percentile_cont(0.5) WITHIN GROUP (ORDER BY increase) AS m FROM bid GROUP BY itemid
--     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
