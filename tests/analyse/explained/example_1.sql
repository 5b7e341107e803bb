-- Example 1 of the safety paper.
CREATE STREAM item (sellerid BIGINT, itemid BIGINT, name STRING, initialprice DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.itemid, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid
GROUP BY i.itemid;

-- explained
-- result: admitted
--   join keeps item: purged by bid(itemid)
--   join keeps bid: purged by item(itemid)
--   group-by of item, bid: purged by item(itemid)
--   without punctuations not in bounded memory: itemid of item is grouped by, and its values are without end (C1)
--   plan
--     Aggregate SUM(increase) AS total by i.itemid AS itemid
--       Join i.itemid = b.itemid
--         Source item
--         Source bid
--   stages
--     stage 1
--       Aggregate SUM(increase) AS total by itemid
--         Join itemid = itemid #2
--           exchange item by itemid
--             Projection itemid
--           exchange bid by itemid
--             Projection itemid, increase
--   plans of the join of item, bid, the best by memory first
--     (item, bid)  keeps 240k rows  10.4k steps/s
--   options of plans: the schemes whose punctuations they take, and when these purge
--     all, eager      keeps 240k rows  10.4k steps/s
--     all, lazy       keeps 270k rows  8.09k steps/s
--     minimal, eager  keeps 240k rows  10.4k steps/s
--     minimal, lazy   keeps 270k rows  8.09k steps/s
--     minimal: item(itemid), bid(itemid)
--   punctuation graph of the join of item, bid
--     item -> bid  bid(itemid)
--     bid -> item  item(itemid)
--     strongly connected: item, bid
