SELECT name FROM item WHERE name RLIKE '\\p{L}'

-- refused
-- '\\p{L}' is not a regular expression
--   detail: \p
--   hint: Java's regular expressions, but for classes in classes, \p{…}, \Q…\E and flags in the middle
--   1 | SELECT name FROM item WHERE name RLIKE '\\p{L}'
--     |                                        ^^^^^^^^
