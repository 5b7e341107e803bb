CREATE TEMPORAL STREAM a (x INT) USING json;

-- refused
-- CREATE TEMPORAL STREAM is not supported yet
--   hint: CREATE STREAM is
--   1 | CREATE TEMPORAL STREAM a (x INT) USING json;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
