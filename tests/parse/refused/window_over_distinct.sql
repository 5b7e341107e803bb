SELECT x.itemid FROM (SELECT DISTINCT itemid FROM bid) [ROWS 5] AS x

-- refused
-- a window over more than rows of one stream is not supported
--   hint: a window follows a stream, or a query that only filters and computes columns of one stream
--   1 | SELECT x.itemid FROM (SELECT DISTINCT itemid FROM bid) [ROWS 5] AS x
--     |                                                        ^^^^^^^^
