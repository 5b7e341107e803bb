CREATE TABLE t (a INT) USING json;

-- refused
-- the statement CREATE TABLE is not supported
--   hint: statements are CREATE STREAM, CREATE STREAM … AS SELECT, CREATE SINK and INSERT INTO … SELECT
--   1 | CREATE TABLE t (a INT) USING json;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
