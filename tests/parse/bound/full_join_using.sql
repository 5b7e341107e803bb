SELECT itemid, COUNT(i.name) AS items, COUNT(b.increase) AS bids
FROM item i FULL JOIN bid b USING (itemid) WHERE itemid > 3 GROUP BY itemid

-- bound
-- itemid BIGINT, items BIGINT (,), bids BIGINT (,)
-- Aggregate COUNT(name) AS items, COUNT(increase) AS bids by itemid
--   Projection coalesce(i.itemid, b.itemid) AS itemid, name, increase
--     Filter (coalesce(i.itemid, b.itemid) > 3)
--       FullJoin i.itemid = b.itemid
--         Source item
--         Source bid
