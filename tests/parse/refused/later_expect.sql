CREATE STREAM a (x INT, PUNCTUATED ON (x) EXPECT WITHIN '1 day') USING json;

-- refused
-- EXPECT WITHIN is not supported yet
--   1 | CREATE STREAM a (x INT, PUNCTUATED ON (x) EXPECT WITHIN '1 day') USING json;
--     |                                           ^^^^^^
