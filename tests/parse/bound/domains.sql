-- domains are promises: they go where they still hold
SELECT hour, hour + 1 AS next, sid FROM report UNION ALL SELECT hour, itemid, sid FROM report JOIN bid ON hour = itemid

-- bound
-- hour BIGINT [0,23], next BIGINT, sid STRING
-- UnionAll
--   Projection hour, (hour + 1) AS next, sid
--     Source report
--   Projection hour, itemid AS next, sid
--     Join hour = itemid
--       Source report
--       Source bid
