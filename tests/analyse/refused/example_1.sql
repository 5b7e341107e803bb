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
--   join keeps item: state grows without bound: bid promises no punctuation on the join key
--   group-by of item, bid: state grows without bound: no input promises punctuations on the grouping columns (itemid)
--   without punctuations, memory is unbounded: itemid of item is a grouping column, and the column's domain is unbounded (C1)
--   counterexample: all of item(itemid) = (1), (2), (3), … must be kept, because later rows such as bid(itemid, increase) = (1, 1.0) would tell them apart
--   8 | FROM item i JOIN bid b ON i.itemid = b.itemid
--     |      ^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (itemid) to bid
--         or write ALLOW UNBOUNDED after the query
