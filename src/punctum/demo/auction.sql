-- Example 2 of the punctuation paper: the final price of each item of an online auction.
--
-- The sellers' portal counts ids up, so it can say that no more items up to an id will come; the buyers' portal says
-- for each item when its auction is closed. Auctions close in another order than they open: no window of time fits them.

CREATE STREAM item (
  itemid BIGINT, sellerid BIGINT, name STRING, initialprice DOUBLE,
  PUNCTUATED ON (itemid ASC)
) USING json OPTIONS (path 'in/item');

CREATE STREAM bid (
  itemid BIGINT, bidderid BIGINT, increase DOUBLE,
  PUNCTUATED ON (itemid)
) USING json OPTIONS (path 'in/bid');

CREATE SINK closing USING json OPTIONS (path 'out');

INSERT INTO closing
SELECT i.itemid, i.name, COUNT(*) AS bids, i.initialprice + SUM(b.increase) AS price
FROM item i JOIN bid b ON i.itemid = b.itemid
GROUP BY i.itemid, i.name, i.initialprice;
