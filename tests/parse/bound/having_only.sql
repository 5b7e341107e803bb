SELECT 1 AS one FROM bid HAVING count(*) > 3

-- bound
-- one BIGINT (,)
-- Projection 1 AS one
--   Filter (count(1) > 3)
--     Aggregate COUNT(*) AS count(1)
--       Source bid
