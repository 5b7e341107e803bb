SELECT itemid, increase FROM (
  SELECT itemid, increase, ROW_NUMBER() OVER (PARTITION BY itemid ORDER BY increase DESC) AS n FROM bid
) WHERE n <= 3 AND increase > 1

-- bound
-- itemid BIGINT, increase DOUBLE
-- Projection itemid, increase
--   Filter (increase > 1.0)
--     Ranked ROW_NUMBER AS n up to 3 by itemid order increase DESC
--       Projection itemid, increase
--         Source bid
