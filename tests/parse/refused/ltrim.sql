SELECT ltrim(name) FROM item

-- refused
-- the function LTRIM with a side or characters is not supported
--   hint: use TRIM(x)
--   1 | SELECT ltrim(name) FROM item
--     |        ^^^^^^^^^^^
