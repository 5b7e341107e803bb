CREATE STREAM a (x INT, UNIQUE (y)) USING json;

-- refused
-- there is no column y
--   detail: available: x
--   1 | CREATE STREAM a (x INT, UNIQUE (y)) USING json;
--     |                                 ^
