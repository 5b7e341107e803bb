SELECT itemid, i.name, b.increase FROM item i RIGHT JOIN bid b USING (itemid) WHERE b.increase > 5

-- bound
-- itemid BIGINT, name STRING, increase DOUBLE
-- Projection b.itemid AS itemid, name, increase
--   LeftJoin b.itemid = i.itemid
--     Filter (increase > 5.0)
--       Source bid
--     Source item
