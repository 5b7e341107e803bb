SELECT itemid, stdev(increase) FROM bid GROUP BY itemid

-- refused
-- the aggregate function STDEV is not supported
--   hint: did you mean STDDEV or STD? docs/functions.md lists all
--   1 | SELECT itemid, stdev(increase) FROM bid GROUP BY itemid
--     |                ^^^^^^^^^^^^^^^
