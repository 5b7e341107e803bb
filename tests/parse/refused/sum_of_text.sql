SELECT sum(name) FROM item

-- refused
-- SUM does not take this type
--   detail: name is STRING
--   hint: it takes numbers (BIGINT, DOUBLE, DECIMAL) and INTERVALs
--   1 | SELECT sum(name) FROM item
--     |        ^^^^^^^^^
