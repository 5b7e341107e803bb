SELECT regexp_replace(name, name, 'x') FROM item

-- refused
-- REGEXP_REPLACE takes a literal as its pattern
--   detail: name is STRING
--   hint: it is regexp_replace(text STRING, pattern STRING CONSTANT, by STRING CONSTANT) -> STRING
--   1 | SELECT regexp_replace(name, name, 'x') FROM item
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
