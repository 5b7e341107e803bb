CREATE TABLE category (id BIGINT, name STRING) USING csv OPTIONS (path 'category.csv');
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT b.itemid FROM bid b FULL JOIN category c ON b.itemid = c.id;

-- refused
-- FULL JOIN with a table is not supported
--   hint: a row of the table without a partner would come out when the stream ends: use LEFT JOIN
--   3 | INSERT INTO o SELECT b.itemid FROM bid b FULL JOIN category c ON b.itemid = c.id;
--     |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^
