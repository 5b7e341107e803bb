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
--   without punctuations, memory is unbounded: itemid of item is a grouping column, and the column's domain is unbounded (C1)
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
--   plans of the join of item, bid, the best for memory first
--     (item, bid)  keeps 240k rows  10.4k steps/s
--   costs by plan options: which schemes are used, and when state is purged
--     all, eager      keeps 240k rows  10.4k steps/s
--     all, lazy       keeps 270k rows  8.09k steps/s
--     minimal, eager  keeps 240k rows  10.4k steps/s
--     minimal, lazy   keeps 270k rows  8.09k steps/s
--     minimal: item(itemid), bid(itemid)
--   which punctuations purge which input of the join of item, bid (punctuation graph)
--     item -> bid  bid(itemid)
--     bid -> item  item(itemid)
--     strongly connected: item, bid
