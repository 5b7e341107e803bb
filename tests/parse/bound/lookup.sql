CREATE TABLE category (id BIGINT, name STRING, active BOOLEAN) USING csv OPTIONS (path 'category.csv', refresh 'true');
CREATE SINK named USING json OPTIONS (path 'out');
INSERT INTO named
SELECT c.name, b.* FROM category c JOIN bid b ON b.itemid = c.id AND b.increase > LENGTH(c.name) WHERE c.active;

-- bound
-- table category: id BIGINT, name STRING, active BOOLEAN
--   csv {'path': 'category.csv', 'refresh': 'true'}
-- sink named: json {'path': 'out'}
-- query named
-- name STRING, bidderid BIGINT, itemid BIGINT, increase DOUBLE, fee DECIMAL(38,18), day DATE
-- Projection name, bidderid, itemid, increase, fee, day
--   Projection id, name, active, bidderid, itemid, increase, fee, day
--     Lookup Filter active of category on itemid = id where (increase > CAST(length(name) AS DOUBLE))
--       Source bid
