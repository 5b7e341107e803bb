-- Times one by one never close all that are near a session.
CREATE STREAM bid (bidder BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT bidder, session_window.end, COUNT(*) AS n FROM bid GROUP BY bidder, session_window(ts, '10 seconds');

-- checked
-- result: refused
--   session of bid: state grows without bound: no input promises an order of its time or punctuations on its keys (bidder)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT bidder, session_window.end, COUNT(*) AS n FROM bid GROUP BY bidder, session_window(ts, '10 seconds');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (bidder) to bid
--         or add PUNCTUATED ON (ts ASC) to bid
--         or add PUNCTUATED ON (ts DESC) to bid
--         or write ALLOW UNBOUNDED after the query
