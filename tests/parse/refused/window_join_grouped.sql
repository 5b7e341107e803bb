SELECT b.itemid, COUNT(*) AS n FROM bid [ROWS 5] b JOIN item [ROWS 5] i ON b.itemid = i.itemid GROUP BY b.itemid

-- refused
-- GROUP BY over a join of windows is not supported
--   detail: rows that leave a window would have to be retracted
--   hint: supported over windows: WHERE, joins, UNION ALL, and one GROUP BY over a single window at the end
--   1 | SELECT b.itemid, COUNT(*) AS n FROM bid [ROWS 5] b JOIN item [ROWS 5] i ON b.itemid = i.itemid GROUP BY b.itemid
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
