SELECT NULL AS x FROM item

-- refused
-- NULL alone is not a column
--   hint: write CAST(NULL AS type)
--   1 | SELECT NULL AS x FROM item
--     |                ^
