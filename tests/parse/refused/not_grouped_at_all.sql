SELECT itemid, count(*) FROM bid

-- refused
-- the column itemid is neither grouped nor aggregated
--   detail: there is no GROUP BY
--   hint: add itemid to GROUP BY, or use MIN(itemid)
--   1 | SELECT itemid, count(*) FROM bid
--     |        ^^^^^^
