-- Items without a bid have any number of names, and nothing closes these.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, bidder STRING, PUNCTUATED ON (itemid), PUNCTUATED ON (bidder)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT b.bidder, i.name, COUNT(*) AS n FROM item i LEFT JOIN bid b ON i.itemid = b.itemid AND b.bidder > 'a'
GROUP BY b.bidder, i.name;

-- checked
-- result: refused
--   group-by of item, bid: state grows without bound: bid(bidder) closes no row without a partner, whose bidder is NULL, and no punctuations on name are promised
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   7 | SELECT b.bidder, i.name, COUNT(*) AS n FROM item i LEFT JOIN bid b ON i.itemid = b.itemid AND b.bidder > 'a'
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   8 | GROUP BY b.bidder, i.name;
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (name) to item
--         or write ALLOW UNBOUNDED after the query
