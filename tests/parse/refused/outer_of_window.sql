SELECT i.name FROM item [ROWS 5] i LEFT JOIN bid b ON i.itemid = b.itemid

-- refused
-- an outer join, EXISTS or IN over a window is not supported
--   detail: rows that leave a window would have to be retracted
--   hint: supported over windows: WHERE, joins, UNION ALL, and one GROUP BY over a single window at the end
--   1 | SELECT i.name FROM item [ROWS 5] i LEFT JOIN bid b ON i.itemid = b.itemid
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
