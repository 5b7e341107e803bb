SELECT t.a FROM (SELECT itemid, increase FROM bid) AS t(a, b) WHERE t.b > 1

-- bound
-- a BIGINT
-- Projection a
--   Filter (b > 1.0)
--     Projection itemid AS a, increase AS b
--       Source bid
