SELECT INTERVAL '1' DAY AS x FROM item

-- refused
-- an INTERVAL is not a column
--   1 | SELECT INTERVAL '1' DAY AS x FROM item
--     |                 ^^^^^^^^^^^^
