CREATE STREAM a (state STRING, DOMAIN state IN (1, 2)) USING json;

-- refused
-- a value does not fit the column state
--   detail: 1 is BIGINT
--   hint: state is STRING
--   1 | CREATE STREAM a (state STRING, DOMAIN state IN (1, 2)) USING json;
--     |                                                 ^
