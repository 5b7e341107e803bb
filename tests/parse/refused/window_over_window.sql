WITH w AS (SELECT itemid FROM bid [ROWS 9]) SELECT itemid FROM w [ROWS 5]

-- refused
-- a window over a window is not supported
--   hint: a window follows a stream, or a query that only filters and computes columns of one stream
--   1 | WITH w AS (SELECT itemid FROM bid [ROWS 9]) SELECT itemid FROM w [ROWS 5]
--     |                                                                  ^^^^^^^^
