SELECT name || 'it''s' AS a, "say ""x""" AS b, 'two' ' strings' AS c FROM item WHERE name <> ''

-- bound
-- a STRING, b STRING (,), c STRING (,)
-- Projection concat(name, 'it''s') AS a, 'say "x"' AS b, concat('two', ' strings') AS c
--   Filter (name <> '')
--     Source item
