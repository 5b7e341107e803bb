CREATE STREAM a (x INT DEFAULT 3) USING json;

-- refused
-- expected NOT NULL, a comma or a bracket in CREATE STREAM
--   detail: found DEFAULT
--   1 | CREATE STREAM a (x INT DEFAULT 3) USING json;
--     |                        ^^^^^^^
