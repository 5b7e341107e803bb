SELECT session_window(at, '10 seconds').start FROM report

-- refused
-- a session is of groups
--   detail: its rows are not known before it is over
--   hint: write GROUP BY session_window(ts, '10 seconds'), k; of SESSION, GROUP BY window_start, window_end and its keys
--   1 | SELECT session_window(at, '10 seconds').start FROM report
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
