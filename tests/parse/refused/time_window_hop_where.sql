SELECT sid FROM report WHERE window(at, '10 seconds', '3 seconds').start > TIMESTAMP_NTZ '2026-11-18 00:00:00'

-- refused
-- a window of several stands in WHERE
--   hint: name the window in a subquery, and its start here
--   1 | SELECT sid FROM report WHERE window(at, '10 seconds', '3 seconds').start > TIMESTAMP_NTZ '2026-11-18 00:00:00'
--     |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
