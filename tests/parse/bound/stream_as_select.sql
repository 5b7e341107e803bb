CREATE STREAM dear AS SELECT itemid, price * 2 AS twice FROM item WHERE price > 100;
CREATE SINK out USING console;
INSERT INTO out SELECT d.twice, b.increase FROM dear d JOIN bid b ON d.itemid = b.itemid;

-- bound
-- stream dear: itemid BIGINT, twice DOUBLE
-- Projection itemid, (price * 2.0) AS twice
--   Filter (price > 100.0)
--     Source item
-- sink out: console {}
-- query out
-- twice DOUBLE, increase DOUBLE
-- Projection twice, increase
--   Join d.itemid = b.itemid
--     Projection itemid, (price * 2.0) AS twice named dear
--       Filter (price > 100.0)
--         Source item
--     Source bid
