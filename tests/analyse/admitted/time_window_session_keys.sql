-- Or when its key is closed.
CREATE STREAM bid (bidder BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (bidder)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT bidder, session_window.end, COUNT(*) AS n FROM bid GROUP BY bidder, session_window(ts, '10 seconds');

-- checked
-- result: admitted
--   session of bid: purged by bid(bidder)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
