SELECT DISTINCT itemid FROM bid [ROWS 5]

-- refused
-- DISTINCT over a window is not supported
--   detail: rows that leave a window would have to be retracted
--   hint: supported over windows: WHERE, joins, UNION ALL, and one GROUP BY over a single window at the end
--   1 | SELECT DISTINCT itemid FROM bid [ROWS 5]
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
