CREATE STREAM a (x INT, PUNCTUATED ON (x, x)) USING json;

-- refused
-- the punctuated columns must be one or more, each named once
--   detail: it is on (x, x)
--   hint: for example ON (itemid)
--   1 | CREATE STREAM a (x INT, PUNCTUATED ON (x, x)) USING json;
--     |                         ^^^^^^^^^^^^^^^^^^^^
