SELECT itemid,
       day, count(*)
FROM bid GROUP BY itemid

-- refused
-- the column day is neither grouped nor aggregated
--   detail: it is grouped by itemid
--   hint: add day to GROUP BY, or use MIN(day)
--   2 |        day, count(*)
--     |        ^^^
