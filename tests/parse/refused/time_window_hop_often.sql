SELECT COUNT(*) AS n FROM report GROUP BY window(at, '1 day', '1 second')

-- refused
-- a window slides too often
--   detail: 86,400 times in its size
--   hint: a row is in at most 10,000 windows
--   1 | SELECT COUNT(*) AS n FROM report GROUP BY window(at, '1 day', '1 second')
--     |                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
