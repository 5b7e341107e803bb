-- A self-join: one scheme serves both sides.
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.bidderid, b.itemid FROM bid a JOIN bid b ON a.itemid = b.itemid AND a.bidderid = b.bidderid;

-- checked
-- result: refused
--   join keeps bid: state grows without bound: bid #2 promises no punctuation on the join key
--   join keeps bid #2: state grows without bound: bid promises no punctuation on the join key
--   without punctuations, memory is unbounded: bidderid of bid #1 is in the result, and the column's domain is unbounded (C1)
--   6 | SELECT a.bidderid, b.itemid FROM bid a JOIN bid b ON a.itemid = b.itemid AND a.bidderid = b.bidderid;
--     |                                  ^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (bidderid) to bid
--         or add PUNCTUATED ON (itemid) to bid
--         or write ALLOW UNBOUNDED after the query
