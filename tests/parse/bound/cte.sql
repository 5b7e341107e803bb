WITH dear (k, p) AS (SELECT itemid, price FROM item WHERE price > 1), both AS (SELECT k FROM dear)
SELECT d.k, d.p FROM dear d JOIN both b ON d.k = b.k

-- bound
-- k BIGINT, p DOUBLE
-- Projection d.k AS k, p
--   Join d.k = b.k
--     Projection itemid AS k, price AS p
--       Filter (price > 1.0)
--         Source item
--     Projection k
--       Projection itemid AS k, price AS p
--         Filter (price > 1.0)
--           Source item
