SELECT itemid, count(*) FROM bid GROUP BY itemid WITH CUBE

-- refused
-- GROUP BY CUBE is not supported
--   hint: GROUP BY takes columns and expressions
--   1 | SELECT itemid, count(*) FROM bid GROUP BY itemid WITH CUBE
--     |                                  ^^^^^^^^^^^^^^^
