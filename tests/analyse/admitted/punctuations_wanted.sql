-- A sink that writes punctuations has a use for what reaches it.
CREATE STREAM item (sellerid BIGINT, itemid BIGINT, name STRING, initialprice DOUBLE, PUNCTUATED ON (itemid), PUNCTUATED ON (sellerid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid), PUNCTUATED ON (bidderid)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out', punctuations 'true');

INSERT INTO result
SELECT i.sellerid, b.itemid FROM item i JOIN bid b ON i.itemid = b.itemid;

-- checked
-- result: admitted
--   join keeps item: purged by bid(itemid)
--   join keeps bid: purged by item(itemid)
--   without punctuations, memory is unbounded: sellerid of item is in the result, and the column's domain is unbounded (C1)
--   unused punctuation schemes: bid(bidderid)
