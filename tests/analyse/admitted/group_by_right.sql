-- The bids of an item are a group that bid closes; items without a bid are one more, which waits for the end.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, bidder STRING, PUNCTUATED ON (itemid), PUNCTUATED ON (bidder)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT b.bidder, COUNT(*) AS n FROM item i LEFT JOIN bid b ON i.itemid = b.itemid GROUP BY b.bidder;

-- checked
-- result: admitted
--   left join of item: purged by bid(itemid)
--   left join of bid: purged by item(itemid)
--   group-by of item, bid: purged by bid(bidder)
--   group-by of item, bid without a partner: at most 1 row
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
