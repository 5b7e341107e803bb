SELECT COUNT(*) OVER v AS n FROM bid WINDOW w AS (PARTITION BY itemid)

-- refused
-- there is no window v
--   detail: available: w
--   hint: define it behind the SELECT: WINDOW w AS (…)
--   1 | SELECT COUNT(*) OVER v AS n FROM bid WINDOW w AS (PARTITION BY itemid)
--     |        ^^^^^^^^^^^^^^^
