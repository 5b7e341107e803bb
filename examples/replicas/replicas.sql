-- Replicas across regions: the same prices arrive from three regions, in another order and at another pace in each.
--
-- The merge follows the region that is ahead, and gives each price once. A region that is gone is not missed, as long as
-- one is there.

CREATE TEMPORAL STREAM east (symbol STRING, price DOUBLE, KEY (symbol)) USING json OPTIONS (path 'in/east');
CREATE TEMPORAL STREAM west (symbol STRING, price DOUBLE, KEY (symbol)) USING json OPTIONS (path 'in/west');
CREATE TEMPORAL STREAM south (symbol STRING, price DOUBLE, KEY (symbol)) USING json OPTIONS (path 'in/south');

CREATE STREAM price AS LMERGE (east, west, south);

CREATE SINK merged USING json OPTIONS (path 'out/merged');
INSERT INTO merged SELECT * FROM price;
