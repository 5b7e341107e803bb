SELECT g.itemid, name FROM (SELECT itemid, COUNT(*) AS n FROM bid [ROWS 5] GROUP BY itemid) g JOIN item i ON g.itemid = i.itemid

-- refused
-- JOIN over groups of a window is not supported
--   detail: rows that leave a window would have to be retracted
--   hint: supported over windows: WHERE, joins, UNION ALL, and one GROUP BY over a single window at the end
--   1 | SELECT g.itemid, name FROM (SELECT itemid, COUNT(*) AS n FROM bid [ROWS 5] GROUP BY itemid) g JOIN item i ON g.itemid = i.itemid
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
