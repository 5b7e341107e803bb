SELECT price * 2 AS double, name AS title FROM item ORDER BY -double, upper(title) DESC

-- bound
-- double DOUBLE, title STRING
-- Projection double, title
--   OrderBy (- (price * 2)), upper(name) DESC
--     Projection (price * 2.0) AS double, name AS title, (- (price * 2.0)) AS (- (price * 2)), upper(name)
--       Source item
