-- Example 1 of the safety paper: with punctuations on bidderid only, items are never purged.
CREATE STREAM item (sellerid BIGINT, itemid BIGINT, name STRING, initialprice DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE, PUNCTUATED ON (bidderid)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.itemid, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid
GROUP BY i.itemid;

-- checked
-- result: refused
--   join keeps item: never purged, because no scheme reaches bid
--   group-by of item, bid: never purged, because it lacks a scheme on nothing but itemid
--   without punctuations not in bounded memory: itemid of item is grouped by, and its values are without end (C1)
--   none can be forgotten of item(itemid) = (1), (2), (3), …: what comes later, such as bid(itemid, increase) = (1, 1.0), tells which of them came
--   8 | FROM item i JOIN bid b ON i.itemid = b.itemid
--     |      ^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (itemid) to bid
--         or write ALLOW UNBOUNDED after the query
