SELECT itemid, EXISTS (SELECT 1 FROM item i WHERE i.itemid = b.itemid) AS there FROM bid b

-- refused
-- subqueries in expressions are not supported
--   hint: use EXISTS or IN (SELECT …) in WHERE, a JOIN, or a subquery in FROM
--   1 | SELECT itemid, EXISTS (SELECT 1 FROM item i WHERE i.itemid = b.itemid) AS there FROM bid b
--     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
