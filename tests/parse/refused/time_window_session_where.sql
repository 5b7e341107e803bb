SELECT COUNT(*) AS n FROM TABLE(SESSION(TABLE report, DESCRIPTOR(at), INTERVAL '10' SECOND))
WHERE temp > 0 GROUP BY window_start, window_end

-- refused
-- a session is of groups
--   detail: its rows are not known before it is over
--   hint: write GROUP BY session_window(ts, '10 seconds'), k; of SESSION, GROUP BY window_start, window_end and its keys
--   1 | SELECT COUNT(*) AS n FROM TABLE(SESSION(TABLE report, DESCRIPTOR(at), INTERVAL '10' SECOND))
--     |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
