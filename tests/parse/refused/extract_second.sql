SELECT EXTRACT(SECOND FROM ts) FROM item

-- refused
-- EXTRACT(SECOND FROM …) is not supported
--   hint: supported: YEAR, MONTH, DAY, HOUR, MINUTE; SECOND(…) gives whole seconds
--   1 | SELECT EXTRACT(SECOND FROM ts) FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^^^^
