SELECT COUNT(*) AS n FROM report GROUP BY window(at, '10 seconds', '3 seconds'), window(at, '10 seconds', '2 seconds')

-- refused
-- two hopping windows cannot be used together
--   hint: use a subquery for one
--   1 | SELECT COUNT(*) AS n FROM report GROUP BY window(at, '10 seconds', '3 seconds'), window(at, '10 seconds', '2 seconds')
--     |                                                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
