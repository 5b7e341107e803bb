WITH w AS (SELECT itemid FROM bid [ROWS 9]) SELECT itemid FROM w [ROWS 5]

-- refused
-- a window over a window is not supported
--   hint: a window stands behind a stream, or a query that only selects and computes columns of one
--   1 | WITH w AS (SELECT itemid FROM bid [ROWS 9]) SELECT itemid FROM w [ROWS 5]
--     |                                                                  ^^^^^^^^
