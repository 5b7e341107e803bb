-- Both sides wait for each other.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.name, b.increase FROM item i FULL JOIN bid b ON i.itemid = b.itemid AND b.increase > 5;

-- checked
-- result: admitted
--   full join of item: purged by bid(itemid)
--   full join of bid: purged by item(itemid)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
