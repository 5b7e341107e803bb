CREATE STREAM a (x INT) USING json;
CREATE STREAM A (y INT) USING json;

-- refused
-- the stream A is defined twice
--   detail: names are case-insensitive
--   hint: rename one
--   2 | CREATE STREAM A (y INT) USING json;
--     |               ^
