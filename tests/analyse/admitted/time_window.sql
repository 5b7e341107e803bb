-- The order of time closes windows of time, whose start keeps it.
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT window.start, window.end, auction, MAX(price) AS price FROM bid GROUP BY window(ts, '10 seconds'), auction;

-- checked
-- result: admitted
--   group-by of bid: purged by bid(ts ASC)
--   without punctuations, memory is unbounded: ts of bid is a grouping column, and the column's domain is unbounded (C1)
