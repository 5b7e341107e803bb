SELECT EXTRACT(SECOND FROM ts) FROM item

-- refused
-- EXTRACT(SECOND FROM …) is not supported
--   hint: supported: YEAR, QUARTER, MONTH, WEEK, DAY, DAYOFWEEK, DOY, HOUR, MINUTE; SECOND(…) gives whole seconds
--   1 | SELECT EXTRACT(SECOND FROM ts) FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^^^^
