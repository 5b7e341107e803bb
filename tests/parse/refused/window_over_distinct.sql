SELECT x.itemid FROM (SELECT DISTINCT itemid FROM bid) [ROWS 5] AS x

-- refused
-- a window over more than rows of one stream is not supported
--   hint: a window stands behind a stream, or a query that only selects and computes columns of one
--   1 | SELECT x.itemid FROM (SELECT DISTINCT itemid FROM bid) [ROWS 5] AS x
--     |                                                        ^^^^^^^^
