-- The first of a row's windows keeps the order of time, so order closes all of them.
CREATE STREAM bid (auction BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT window_start, auction, COUNT(*) AS n
FROM TABLE(HOP(TABLE bid, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
GROUP BY window_start, window_end, auction;

-- checked
-- result: admitted
--   group-by of bid: purged by bid(ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
