SELECT * FROM (SELECT itemid, name FROM item) a
FULL JOIN (SELECT itemid, increase FROM bid) b USING (itemid)
FULL JOIN (SELECT itemid, fee FROM bid) c USING (itemid)
LEFT JOIN (SELECT itemid, day FROM bid) d USING (itemid)

-- bound
-- itemid BIGINT, name STRING, increase DOUBLE, fee DECIMAL(38,18), day DATE
-- Projection coalesce(a.itemid, b.itemid, c.itemid) AS itemid, name, increase, fee, day
--   Projection a.itemid, name, b.itemid, increase, c.itemid, fee, d.itemid, day
--     LeftJoin coalesce(a.itemid, b.itemid, c.itemid) = d.itemid
--       Projection a.itemid, name, b.itemid, increase, c.itemid, fee, coalesce(a.itemid, b.itemid, c.itemid)
--         Projection a.itemid, name, b.itemid, increase, c.itemid, fee
--           FullJoin coalesce(a.itemid, b.itemid) = c.itemid
--             Projection a.itemid, name, b.itemid, increase, coalesce(a.itemid, b.itemid)
--               FullJoin a.itemid = b.itemid
--                 Projection itemid, name
--                   Source item
--                 Projection itemid, increase
--                   Source bid
--             Projection itemid, fee
--               Source bid
--       Projection itemid, day
--         Source bid
