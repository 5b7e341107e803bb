CREATE TABLE category (id BIGINT, name STRING, active BOOLEAN) USING csv OPTIONS (path 'category.csv');
CREATE SINK named USING json OPTIONS (path 'out');
INSERT INTO named
SELECT b.itemid, c.name FROM bid b LEFT JOIN category c ON b.itemid = c.id AND c.active
WHERE b.bidderid NOT IN (SELECT id FROM category WHERE active) AND b.increase > 0;

-- bound
-- table category: id BIGINT, name STRING, active BOOLEAN
--   csv {'path': 'category.csv'}
-- sink named: json {'path': 'out'}
-- query named
-- itemid BIGINT, name STRING
-- Projection itemid, name
--   Lookup anti Projection id of Filter active of category on all where ((bidderid = id_2) OR (bidderid IS NULL) OR (id_2 IS NULL))
--     Lookup left Filter active of category on itemid = id
--       Filter (increase > 0.0)
--         Source bid
