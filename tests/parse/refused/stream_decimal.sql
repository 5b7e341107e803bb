CREATE STREAM a (x DECIMAL(50, 2)) USING json;

-- refused
-- a DECIMAL has 1 to 38 digits, some of them after the point
--   detail: DECIMAL(50, 2)
--   hint: DECIMAL(10, 2)
--   1 | CREATE STREAM a (x DECIMAL(50, 2)) USING json;
--     |                    ^^^^^^^^^^^^^^
