SELECT my_function(name, 1) FROM item

-- refused
-- the function MY_FUNCTION is not supported
--   hint: supported: ABS, CAST, CEIL, COALESCE, CONCAT, DATE_TRUNC, DAY, EXTRACT, FLOOR, HOUR, IF, LENGTH, LOWER, MINUTE, MONTH, NULLIF, ROUND, SECOND, SUBSTRING, TRIM, UPPER, YEAR
--   1 | SELECT my_function(name, 1) FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^
