SELECT window.begin FROM report GROUP BY window(at, '10 seconds')

-- refused
-- a window has no begin
--   detail: it has a start and an end
--   hint: group by it, or name its start or its end: window(ts, '10 seconds').start
--   1 | SELECT window.begin FROM report GROUP BY window(at, '10 seconds')
--     |                                          ^^^^^^^^^^^^^^^^^^^^^^^
