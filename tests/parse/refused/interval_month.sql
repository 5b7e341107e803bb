SELECT ts + INTERVAL '1' MONTH FROM item

-- refused
-- this INTERVAL is not supported
--   hint: write INTERVAL '10' and one of WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND
--   1 | SELECT ts + INTERVAL '1' MONTH FROM item
--     |             ^^^^^^^^^^^^^^^^^^
