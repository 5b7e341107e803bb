CREATE TABLE category (id BIGINT, name STRING) USING csv OPTIONS (path 'category.csv');
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT b.itemid FROM bid b RIGHT JOIN category c ON b.itemid = c.id;

-- refused
-- a table cannot be the preserved side of a join
--   hint: the rows of a table are looked up: use stream LEFT JOIN table
--   3 | INSERT INTO o SELECT b.itemid FROM bid b RIGHT JOIN category c ON b.itemid = c.id;
--     |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
