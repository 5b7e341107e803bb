SELECT b.increase, i.name
FROM bid [ROWS 100] AS b JOIN (SELECT itemid, name FROM item WHERE price > 1) [ROWS 10] i ON b.itemid = i.itemid
WHERE b.increase > 5

-- bound
-- increase DOUBLE, name STRING
-- Projection increase, name
--   Join b.itemid = i.itemid
--     Filter (increase > 5.0)
--       Window 100 rows
--         Source bid
--     Window 10 rows
--       Projection itemid, name
--         Filter (price > 1.0)
--           Source item
