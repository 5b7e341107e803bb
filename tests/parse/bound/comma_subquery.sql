SELECT i.name, t.s FROM item i, (SELECT itemid, sum(increase) AS s FROM bid GROUP BY itemid) t WHERE i.itemid = t.itemid

-- bound
-- name STRING, s DOUBLE
-- Projection name, s
--   Join i.itemid = t.itemid
--     Source item
--     Aggregate SUM(increase) AS s by itemid
--       Source bid
