SELECT COUNT(*) AS n FROM TABLE(SESSION(TABLE report, DESCRIPTOR(at), INTERVAL '10' SECOND))
GROUP BY sid, window_start, window_end

-- refused
-- a session is grouped by other columns than its keys
--   detail: it has none: PARTITION BY
--   hint: write GROUP BY session_window(ts, '10 seconds'), k; of SESSION, GROUP BY window_start, window_end and its keys
--   1 | SELECT COUNT(*) AS n FROM TABLE(SESSION(TABLE report, DESCRIPTOR(at), INTERVAL '10' SECOND))
--     |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
