SELECT itemid, count(*) FROM bid GROUP BY ALL

-- refused
-- GROUP BY ALL is not supported
--   hint: GROUP BY takes columns and expressions
--   1 | SELECT itemid, count(*) FROM bid GROUP BY ALL
--     |                                  ^^^^^^^^^^^^
