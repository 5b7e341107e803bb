-- Punctuations of either side close what comes out.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT DISTINCT i.itemid FROM item i WHERE EXISTS (SELECT 1 FROM bid b WHERE b.itemid = i.itemid AND b.increase > 5);

-- checked
-- result: admitted
--   semi join of item: purged by bid(itemid)
--   semi join of bid: purged by item(itemid)
--   dupelim of item, bid: purged by item(itemid)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
