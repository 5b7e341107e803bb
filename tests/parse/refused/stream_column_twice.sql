CREATE STREAM a (x INT, X STRING) USING json;

-- refused
-- the column X occurs twice
--   detail: names are case-insensitive
--   hint: rename one
--   1 | CREATE STREAM a (x INT, X STRING) USING json;
--     |                         ^
