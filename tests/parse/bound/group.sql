SELECT sellerid + 1 AS next, SUM(price) / COUNT(*) AS mean, MAX(price) FILTER (WHERE name LIKE 'a%') AS top
FROM item GROUP BY sellerid + 1 HAVING COUNT(*) > 1 AND mean < 5 ORDER BY next DESC

-- bound
-- next BIGINT, mean DOUBLE, top DOUBLE
-- OrderBy next DESC
--   Projection next, (sum(price) / CAST(count(1) AS DOUBLE)) AS mean, top
--     Filter ((count(1) > 1) AND ((sum(price) / CAST(count(1) AS DOUBLE)) < 5.0))
--       Aggregate SUM(price) AS sum(price), COUNT(*) AS count(1), MAX(price) FILTER (WHERE name LIKE a%) AS top by (sellerid + 1) AS next
--         Projection (sellerid + 1), price, name LIKE 'a%' AS name LIKE a%
--           Source item
