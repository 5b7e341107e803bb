CREATE SINK out USING console;
INSERT INTO out (a) SELECT itemid FROM bid;

-- refused
-- a column list in INSERT INTO is not supported
--   hint: name columns with AS
--   2 | INSERT INTO out (a) SELECT itemid FROM bid;
--     |                 ^
