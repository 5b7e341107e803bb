SELECT regexp_extract(name, '(a)b', 2) FROM item

-- refused
-- '(a)b' has no group 2
--   detail: it has 1
--   hint: 0 is all of it
--   1 | SELECT regexp_extract(name, '(a)b', 2) FROM item
--     |                                     ^
