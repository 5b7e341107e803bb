CREATE STREAM a (x INT, PUNCTUATED ON (x) LIFESPAN '4 hours') USING json;

-- refused
-- LIFESPAN is not supported yet
--   1 | CREATE STREAM a (x INT, PUNCTUATED ON (x) LIFESPAN '4 hours') USING json;
--     |                                           ^^^^^^^^
