CREATE STREAM a (x INT, PUNCTUATED ON (x, x)) USING json;

-- refused
-- a scheme needs one or more different attributes
--   detail: it is on (x, x)
--   hint: for example ON (itemid)
--   1 | CREATE STREAM a (x INT, PUNCTUATED ON (x, x)) USING json;
--     |                         ^^^^^^^^^^^^^^^^^^^^
