SELECT window.start FROM report GROUP BY window(at, '1 month')

-- refused
-- '1 month' is not a duration
--   detail: units are week, day, hour, minute, second, millisecond, microsecond
--   hint: write a duration such as '10 seconds'
--   1 | SELECT window.start FROM report GROUP BY window(at, '1 month')
--     |                                                     ^^^^^^^^^
