SELECT DISTINCT name FROM item ORDER BY name DESC NULLS FIRST

-- bound
-- name STRING
-- OrderBy name DESC NULLS FIRST
--   Distinct
--     Projection name
--       Source item
