-- A session is over when order has gone a gap past its last row.
CREATE STREAM bid (bidder BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT bidder, session_window.end, COUNT(*) AS n FROM bid GROUP BY bidder, session_window(ts, '10 seconds') ORDER BY session_window.end;

-- checked
-- result: admitted
--   session of bid: purged by bid(ts ASC)
--   sort of bid: purged by bid(ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
