SELECT COUNT(*) OVER (w ORDER BY increase) AS n FROM bid WINDOW w AS (ORDER BY itemid)

-- refused
-- the window w has its ORDER BY already
--   hint: leave it out
--   1 | SELECT COUNT(*) OVER (w ORDER BY increase) AS n FROM bid WINDOW w AS (ORDER BY itemid)
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
