-- An outer join over an inner one, and an inner one over it.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.name, b.increase, c.increase AS again
FROM item i JOIN bid b ON i.itemid = b.itemid LEFT JOIN bid c ON i.itemid = c.itemid AND c.increase > b.increase JOIN item d ON d.itemid = i.itemid;

-- checked
-- result: admitted
--   join keeps item: purged by bid(itemid)
--   join keeps bid: purged by item(itemid)
--   left join of item, bid: purged by bid(itemid)
--   left join of bid: purged by item, bid(i.itemid)
--   join keeps item, bid: purged by item(itemid)
--   join keeps item: purged by item, bid(i.itemid)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
