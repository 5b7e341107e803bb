SELECT * FROM wide WHERE tags = split('a', ',')

-- refused
-- = does not take an ARRAY or STRUCT
--   detail: tags is ARRAY<STRING>, split(a, ,) is ARRAY<STRING>
--   hint: take an element or a field of it
--   1 | SELECT * FROM wide WHERE tags = split('a', ',')
--     |                          ^^^^^^^^^^^^^^^^^^^^^
