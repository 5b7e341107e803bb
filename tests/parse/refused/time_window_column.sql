SELECT * FROM TABLE(TUMBLE(TABLE report, DESCRIPTOR(time), INTERVAL '10' MINUTES))

-- refused
-- there is no column time
--   detail: there are sid, hour, temp, ok, at
--   hint: write TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '10' SECOND))
--   1 | SELECT * FROM TABLE(TUMBLE(TABLE report, DESCRIPTOR(time), INTERVAL '10' MINUTES))
--     |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
