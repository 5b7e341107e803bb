SELECT tags, home.city FROM wide ORDER BY home.city LIMIT 2

-- refused
-- LIMIT does not take an ARRAY or STRUCT
--   detail: tags is ARRAY<STRING>
--   hint: name an element or a field of it in a subquery below, such as a[0] or s.city, or leave the column out
--   1 | SELECT tags, home.city FROM wide ORDER BY home.city LIMIT 2
--     |                                           ^^^^^^^^^
