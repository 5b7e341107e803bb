CREATE SINK out USING console;
INSERT INTO out SELECT itemid FROM bid;
INSERT INTO out SELECT itemid FROM item;

-- refused
-- two queries write to out
--   detail: a query has the name of its sink
--   hint: use UNION ALL, or another sink
--   3 | INSERT INTO out SELECT itemid FROM item;
--     |             ^^^
