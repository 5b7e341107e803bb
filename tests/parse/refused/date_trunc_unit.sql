SELECT date_trunc('century', ts) FROM item

-- refused
-- DATE_TRUNC does not support the unit CENTURY
--   hint: supported: YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND, MILLISECOND, MICROSECOND
--   1 | SELECT date_trunc('century', ts) FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^
