CREATE STREAM a (x INT) ON VIOLATION FAIL USING json;

-- refused
-- ON VIOLATION is not supported yet
--   1 | CREATE STREAM a (x INT) ON VIOLATION FAIL USING json;
--     |                         ^^
