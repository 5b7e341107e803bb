SELECT ltrim(name) FROM item

-- refused
-- the function LTRIM with a side or characters is not supported
--   hint: TRIM(x) is
--   1 | SELECT ltrim(name) FROM item
--     |        ^^^^^^^^^^^
