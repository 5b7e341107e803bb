-- One NULL among the bids would exclude every item.
CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE STREAM seller (name STRING, city STRING) USING json OPTIONS (path 'seller');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT i.name FROM item i WHERE i.itemid NOT IN (SELECT itemid FROM bid);

-- checked
-- result: refused
--   anti join of item: state grows without bound: no equality joins it with bid, which promises no end
--   anti join of bid: state grows without bound: no equality joins it with item, which promises no end
--   not decided: ((item.itemid = bid.itemid) OR (item.itemid IS NULL) OR (bid.itemid IS NULL)) is no equality and no difference of columns, so no more of it is used than follows from each branch
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   8 | SELECT i.name FROM item i WHERE i.itemid NOT IN (SELECT itemid FROM bid);
--     |                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: compare columns by = in NOT EXISTS; in NOT IN, declare both NOT NULL, for one NULL decides on all rows
--         or write ALLOW UNBOUNDED after the query
