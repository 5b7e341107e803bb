SELECT window.start FROM item GROUP BY itemid

-- refused
-- there is no window in FROM
--   detail: available: item
--   hint: for a window of time, write GROUP BY window(ts, '10 seconds')
--   1 | SELECT window.start FROM item GROUP BY itemid
--     |        ^^^^^^^^^^^^
