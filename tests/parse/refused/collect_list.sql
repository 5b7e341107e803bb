SELECT itemid, collect_list(increase) FROM bid GROUP BY itemid

-- refused
-- the aggregate function COLLECT_LIST is not supported
--   hint: there are no ARRAY columns; use COUNT(DISTINCT x), MIN, MAX or PERCENTILE
--   1 | SELECT itemid, collect_list(increase) FROM bid GROUP BY itemid
--     |                ^^^^^^^^^^^^^^^^^^^^^^
