SELECT itemid FROM bid WHERE itemid IN (SELECT itemid FROM item)

-- refused
-- subqueries in expressions are not supported
--   hint: use a JOIN, or a subquery in FROM
--   1 | SELECT itemid FROM bid WHERE itemid IN (SELECT itemid FROM item)
--     |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
