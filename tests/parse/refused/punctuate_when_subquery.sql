CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN sid IN (SELECT sid FROM report)
) USING json;

-- refused
-- subqueries in expressions are not supported
--   hint: use EXISTS or IN (SELECT …) in WHERE, a JOIN, or a subquery in FROM
--   3 |   PUNCTUATE (itemid) WHEN sid IN (SELECT sid FROM report)
--     |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
