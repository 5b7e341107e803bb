SELECT COUNT(*) FROM report WHERE window(at, '10 seconds') > 5

-- refused
-- a window is no value by itself
--   detail: it has a start and an end
--   hint: group by it, or name its start or its end: window(ts, '10 seconds').start
--   1 | SELECT COUNT(*) FROM report WHERE window(at, '10 seconds') > 5
--     |                                   ^^^^^^^^^^^^^^^^^^^^^^^^
