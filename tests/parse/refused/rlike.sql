SELECT name FROM item WHERE name RLIKE 'a.*'

-- refused
-- name RLIKE 'a.*' is not supported
--   hint: supported: columns, literals, operators and functions
--   1 | SELECT name FROM item WHERE name RLIKE 'a.*'
--     |                             ^^^^^^^^^^^^^^^^
