SELECT COUNT(*) FROM wide GROUP BY home

-- refused
-- GROUP BY does not take an ARRAY or STRUCT
--   detail: home is STRUCT<city: STRING, parts: ARRAY<STRUCT<x: DOUBLE>>>
--   hint: name an element or a field of it in a subquery below, such as a[0] or s.city, or leave the column out
--   1 | SELECT COUNT(*) FROM wide GROUP BY home
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
