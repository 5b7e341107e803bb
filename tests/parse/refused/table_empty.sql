CREATE TABLE sensors () USING json;

-- refused
-- expected a column in CREATE TABLE
--   detail: found )
--   1 | CREATE TABLE sensors () USING json;
--     |                       ^
