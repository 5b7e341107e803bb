SELECT * FROM TABLE(TUMBLE(TABLE report, INTERVAL '10' MINUTES))

-- refused
-- TUMBLE cannot be read
--   detail: its arguments are a table, DESCRIPTOR with a column of times, and durations
--   hint: write TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' SECOND))
--   1 | SELECT * FROM TABLE(TUMBLE(TABLE report, INTERVAL '10' MINUTES))
--     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
