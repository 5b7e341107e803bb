-- a and b have no equality, so b waits for c
SELECT a.itemid, b.name, c.increase FROM bid a, item b, bid c
WHERE a.itemid = c.itemid AND c.itemid = b.itemid AND a.increase < b.price

-- bound
-- itemid BIGINT, name STRING, increase DOUBLE
-- Projection a.itemid AS itemid, name, c.increase AS increase
--   Join c.itemid = b.itemid where (a.increase < price)
--     Join a.itemid = c.itemid
--       Source bid
--       Source bid
--     Source item
