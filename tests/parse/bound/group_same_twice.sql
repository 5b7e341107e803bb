SELECT itemid, itemid AS again, sum(increase) a, sum(increase) b FROM bid GROUP BY itemid

-- bound
-- itemid BIGINT, again BIGINT, a DOUBLE, b DOUBLE
-- Projection itemid, itemid AS again, a, a AS b
--   Aggregate SUM(increase) AS a by itemid
--     Source bid
