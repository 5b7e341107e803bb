DROP TABLE bid;

-- refused
-- the statement DROP TABLE is not supported
--   hint: statements are CREATE STREAM, CREATE STREAM … AS SELECT, CREATE TABLE, CREATE SINK and INSERT INTO … SELECT
--   1 | DROP TABLE bid;
--     | ^^^^^^^^^^^^^^
