SELECT itemid, MAX(increase) IGNORE NULLS AS n FROM bid GROUP BY itemid

-- refused
-- IGNORE NULLS here is not supported
--   hint: it follows FIRST and LAST; others leave NULLs out
--   1 | SELECT itemid, MAX(increase) IGNORE NULLS AS n FROM bid GROUP BY itemid
--     |                ^^^^^^^^^^^^
