DROP TABLE bid;

-- refused
-- the statement DROP TABLE is not supported
--   hint: supported statements: CREATE [TEMPORAL] STREAM, CREATE [TEMPORAL] STREAM … AS SELECT, CREATE STREAM … AS LMERGE or CLEANSE, CREATE TABLE, CREATE SINK and INSERT INTO … SELECT
--   1 | DROP TABLE bid;
--     | ^^^^^^^^^^^^^^
