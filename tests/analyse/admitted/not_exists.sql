-- An item comes out when no bid on it can come.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.name FROM item i WHERE NOT EXISTS (SELECT 1 FROM bid b WHERE b.itemid = i.itemid);

-- checked
-- result: admitted
--   anti join of item: purged by bid(itemid)
--   anti join of bid: purged by item(itemid)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
