SELECT i.itemid, j.price FROM item i LEFT JOIN item j ON i.itemid = j.itemid
AND j.ts BETWEEN DATE_TRUNC('hour', i.ts) AND DATE_TRUNC('hour', i.ts) + INTERVAL 2 HOURS

-- bound
-- itemid BIGINT, price DOUBLE
-- Projection i.itemid AS itemid, j.price AS price
--   Projection i.sellerid, i.itemid, i.name, i.price, i.ts, j.sellerid, j.itemid, j.name, j.price, j.ts
--     LeftJoin i.itemid = j.itemid where ((j.ts >= date_trunc('HOUR', ts)) AND (j.ts <= (date_trunc('HOUR', ts) + INTERVAL '2' HOUR)))
--       Projection sellerid, itemid, name, price, ts, date_trunc('HOUR', ts)
--         Source item
--       Source item
