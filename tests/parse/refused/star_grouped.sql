SELECT *, count(*) FROM bid GROUP BY itemid

-- refused
-- * cannot be used with GROUP BY
--   hint: list the grouped columns
--   1 | SELECT *, count(*) FROM bid GROUP BY itemid
--     |        ^
