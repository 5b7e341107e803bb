SELECT itemid, stddev(increase) FROM bid GROUP BY itemid

-- refused
-- the aggregate function STDDEV is not supported
--   hint: supported: COUNT, COUNT(DISTINCT …), SUM, MIN, MAX, AVG, MEDIAN, each with FILTER (WHERE …)
--   1 | SELECT itemid, stddev(increase) FROM bid GROUP BY itemid
--     |                ^^^^^^^^^^^^^^^^
