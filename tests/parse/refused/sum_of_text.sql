SELECT sum(name) FROM item

-- refused
-- SUM does not take this type
--   detail: name is STRING
--   hint: it takes BIGINT, DOUBLE and DECIMAL
--   1 | SELECT sum(name) FROM item
--     |        ^^^^^^^^^
