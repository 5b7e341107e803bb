SELECT *, count(*) FROM bid GROUP BY itemid

-- refused
-- * does not go with GROUP BY
--   hint: name the grouped columns
--   1 | SELECT *, count(*) FROM bid GROUP BY itemid
--     |        ^
