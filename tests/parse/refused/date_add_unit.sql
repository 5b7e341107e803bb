SELECT dateadd(HOUR, 1, ts) AS later FROM item

-- refused
-- DATEADD with a unit is not supported
--   hint: write ts + INTERVAL 1 DAY, or DATE_ADD(day, 1)
--   1 | SELECT dateadd(HOUR, 1, ts) AS later FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^
