SELECT itemid, first(increase) FROM bid GROUP BY itemid

-- refused
-- FIRST needs one stream that promises an order
--   detail: such as PUNCTUATE (ts ASC)
--   hint: a slice has no order; use MIN_BY(x, t) for the first and MAX_BY(x, t) for the last
--   1 | SELECT itemid, first(increase) FROM bid GROUP BY itemid
--     |                ^^^^^^^^^^^^^^^
