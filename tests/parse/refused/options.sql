CREATE STREAM a (x INT) USING json OPTIONS (path in);

-- refused
-- expected a string, a number, true or false in OPTIONS
--   detail: found in
--   1 | CREATE STREAM a (x INT) USING json OPTIONS (path in);
--     |                                                  ^^
