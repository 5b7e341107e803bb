SELECT itemid, RANK() FROM bid GROUP BY itemid

-- refused
-- RANK is a window function, and has no OVER here
--   hint: add OVER (PARTITION BY … ORDER BY …)
--   1 | SELECT itemid, RANK() FROM bid GROUP BY itemid
--     |                ^^^^^^
