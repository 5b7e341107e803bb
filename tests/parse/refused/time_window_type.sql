SELECT window.start FROM report GROUP BY window(hour, '1 hour')

-- refused
-- a window is of times
--   detail: hour is BIGINT
--   hint: it takes TIMESTAMP and TIMESTAMP_NTZ; CAST other types
--   1 | SELECT window.start FROM report GROUP BY window(hour, '1 hour')
--     |                                          ^^^^^^^^^^^^^^^^^^^^^^
