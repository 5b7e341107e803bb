-- A self-join.
CREATE STREAM bid (bidderid BIGINT, itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.bidderid, b.itemid FROM bid a JOIN bid b ON a.itemid = b.itemid;

-- checked
-- result: admitted
--   join keeps bid: purged by bid #2(itemid)
--   join keeps bid #2: purged by bid(itemid)
--   without punctuations, memory is unbounded: bidderid of bid #1 is in the result, and the column's domain is unbounded (C1)
