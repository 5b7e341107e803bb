SELECT itemid FROM bid b WHERE EXISTS (SELECT 1 FROM item i WHERE i.itemid = b.itemid)

-- refused
-- subqueries in expressions are not supported
--   hint: use a JOIN, or a subquery in FROM
--   1 | SELECT itemid FROM bid b WHERE EXISTS (SELECT 1 FROM item i WHERE i.itemid = b.itemid)
--     |                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
