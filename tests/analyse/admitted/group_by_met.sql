-- No item without a bid is among them, so what bid closes is closed.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, bidder STRING, PUNCTUATED ON (itemid), PUNCTUATED ON (bidder)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

CREATE STREAM offer AS SELECT b.bidder, i.name FROM item i LEFT JOIN bid b ON i.itemid = b.itemid;
INSERT INTO result
SELECT bidder, name, COUNT(*) AS n FROM offer WHERE bidder >= 'm' GROUP BY bidder, name;

-- checked
-- result: admitted
--   left join of item: purged by bid(itemid)
--   left join of bid: purged by item(itemid)
--   group-by of offer: purged by bid(bidder)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
