CREATE STREAM a (hour INT, DOMAIN hour IN (1, 'x')) USING json;

-- refused
-- a value does not fit the column hour
--   detail: x is STRING
--   hint: hour is BIGINT
--   1 | CREATE STREAM a (hour INT, DOMAIN hour IN (1, 'x')) USING json;
--     |                                               ^^^
