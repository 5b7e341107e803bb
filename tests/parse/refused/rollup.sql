SELECT itemid, count(*) FROM bid GROUP BY ROLLUP (itemid)

-- refused
-- GROUP BY ROLLUP is not supported
--   hint: GROUP BY takes columns and expressions
--   1 | SELECT itemid, count(*) FROM bid GROUP BY ROLLUP (itemid)
--     |                                           ^^^^^^^^^^^^^^
