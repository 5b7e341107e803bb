CREATE STREAM a (PUNCTUATED ON (x)) USING json;

-- refused
-- there is no column x
--   detail: available: none
--   1 | CREATE STREAM a (PUNCTUATED ON (x)) USING json;
--     |                                 ^
