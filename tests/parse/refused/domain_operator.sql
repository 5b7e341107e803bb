CREATE STREAM a (hour INT, DOMAIN hour > 3) USING json;

-- refused
-- expected BETWEEN or IN in DOMAIN
--   detail: found >
--   1 | CREATE STREAM a (hour INT, DOMAIN hour > 3) USING json;
--     |                                        ^
