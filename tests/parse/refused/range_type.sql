SELECT COUNT(*) OVER (PARTITION BY itemid ORDER BY increase RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS n FROM bid

-- refused
-- RANGE does not take this type
--   detail: increase is DOUBLE
--   hint: RANGE goes by a time and an INTERVAL, or by a BIGINT and a whole number
--   1 | SELECT COUNT(*) OVER (PARTITION BY itemid ORDER BY increase RANGE BETWEEN 5 PRECEDING AND CURRENT ROW) AS n FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
