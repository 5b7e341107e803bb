SELECT itemid, first(increase) FROM bid GROUP BY itemid

-- refused
-- the aggregate function FIRST is not supported
--   hint: a slice has no order; use MIN_BY(x, t) for the first and MAX_BY(x, t) for the last
--   1 | SELECT itemid, first(increase) FROM bid GROUP BY itemid
--     |                ^^^^^^^^^^^^^^^
