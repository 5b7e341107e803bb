SELECT name FROM item ORDER BY price * 2 DESC, ts

-- bound
-- name STRING
-- Projection name
--   OrderBy (price * 2) DESC, ts
--     Projection name, (price * 2.0) AS (price * 2), ts
--       Source item
