CREATE STREAM a (x ARRAY<INT>, PUNCTUATED ON (x)) USING json;

-- refused
-- PUNCTUATED ON does not take an ARRAY or STRUCT
--   detail: x is ARRAY<BIGINT>
--   hint: name another column
--   1 | CREATE STREAM a (x ARRAY<INT>, PUNCTUATED ON (x)) USING json;
--     |                                               ^
