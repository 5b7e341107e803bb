SELECT itemid, collect_list(increase) AS l, size(array_agg(DISTINCT fee)) AS n, collect_set(day)[0] AS d FROM bid GROUP BY itemid

-- bound
-- itemid BIGINT, l ARRAY<DOUBLE> (,), n BIGINT (,), d DATE
-- Projection itemid, l, size(collect_set(fee)) AS n, collect_set(day)[0] AS d
--   Aggregate COLLECT_LIST(increase) AS l, COLLECT_SET(fee) AS collect_set(fee), COLLECT_SET(day) AS collect_set(day) by itemid
--     Source bid
