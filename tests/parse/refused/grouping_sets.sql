SELECT itemid, count(*) FROM bid GROUP BY GROUPING SETS ((itemid), ())

-- refused
-- GROUP BY GROUPING SETS is not supported
--   hint: GROUP BY takes columns and expressions
--   1 | SELECT itemid, count(*) FROM bid GROUP BY GROUPING SETS ((itemid), ())
--     |                                           ^^^^^^^^^^^^^^^^^^^^^^
