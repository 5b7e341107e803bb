SELECT itemid FROM bid
WHERE name = 'abc

-- refused
-- the SQL cannot be parsed
--   detail: a quote or a comment is not closed
--   hint: a string ends with ', a quoted name with `, a comment with */
--   2 | WHERE name = 'abc
--     |                 ^
