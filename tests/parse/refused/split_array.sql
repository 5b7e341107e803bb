SELECT split(name, ',') FROM item

-- refused
-- SPLIT takes another number of arguments
--   detail: there are 2
--   hint: it is split(text STRING, pattern STRING CONSTANT, at BIGINT CONSTANT) -> STRING
--   1 | SELECT split(name, ',') FROM item
--     |        ^^^^^^^^^^^^^^^^
