-- An item without a bid comes out when bid has closed it; groups by the item's own column are closed.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.itemid, COUNT(b.itemid) AS bids FROM item i LEFT JOIN bid b ON i.itemid = b.itemid GROUP BY i.itemid;

-- checked
-- result: admitted
--   left join of item: purged by bid(itemid)
--   left join of bid: purged by item(itemid)
--   group-by of item, bid: purged by item(itemid)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
