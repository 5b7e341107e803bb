SELECT (SELECT max(price) FROM item) AS m FROM bid

-- refused
-- subqueries in expressions are not supported
--   hint: use EXISTS or IN (SELECT …) in WHERE, a JOIN, or a subquery in FROM
--   1 | SELECT (SELECT max(price) FROM item) AS m FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
