CREATE STREAM a (hour INT, DOMAIN hour BETWEEN 0 AND 23.5) USING json;

-- refused
-- a value does not fit the column hour
--   detail: 23.5 is DECIMAL(3,1)
--   hint: hour is BIGINT
--   1 | CREATE STREAM a (hour INT, DOMAIN hour BETWEEN 0 AND 23.5) USING json;
--     |                                                      ^^^^
