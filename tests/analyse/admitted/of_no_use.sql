-- Schemes that purge nothing here.
CREATE STREAM item (sellerid BIGINT, itemid BIGINT, name STRING, initialprice DOUBLE, PUNCTUATED ON (itemid), PUNCTUATED ON (sellerid), PUNCTUATED ON (itemid, name)) USING json OPTIONS (path 'item');
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid), PUNCTUATED ON (bidderid, itemid)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.itemid, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid
GROUP BY i.itemid;

-- checked
-- result: admitted
--   join keeps item: purged by bid(itemid)
--   join keeps bid: purged by item(itemid)
--   group-by of item, bid: purged by item(itemid)
--   without punctuations, memory is unbounded: itemid of item is a grouping column, and the column's domain is unbounded (C1)
--   unused punctuation schemes: item(sellerid), item(itemid, name), bid(bidderid, itemid)
