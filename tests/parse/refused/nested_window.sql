SELECT tags, RANK() OVER (ORDER BY home.city) AS r FROM wide

-- refused
-- a window function beside it does not take an ARRAY or STRUCT
--   detail: tags is ARRAY<STRING>
--   hint: name an element or a field of it in a subquery below, such as a[0] or s.city, or leave the column out
--   1 | SELECT tags, RANK() OVER (ORDER BY home.city) AS r FROM wide
--     |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
