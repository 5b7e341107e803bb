CREATE TABLE category (id BIGINT, name STRING) USING csv OPTIONS (path 'category.csv');
CREATE SINK o USING json OPTIONS (path 'out');
INSERT INTO o SELECT id FROM category;

-- refused
-- category is a table
--   detail: it is read without a stream
--   hint: a query reads a stream, and may join it with a table: FROM stream JOIN table ON …, or LEFT JOIN
--   3 | INSERT INTO o SELECT id FROM category;
--     |                              ^^^^^^^^
