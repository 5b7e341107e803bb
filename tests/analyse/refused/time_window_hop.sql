-- Orders of time are what a hopping window waits for.
CREATE STREAM bid (auction BIGINT, ts TIMESTAMP, PUNCTUATED ON (ts)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT window.start, COUNT(*) AS n FROM bid GROUP BY window(ts, '10 seconds', '2 seconds');

-- checked
-- result: refused
--   group-by of bid: state grows without bound: no input promises punctuations on the grouping columns (start)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT window.start, COUNT(*) AS n FROM bid GROUP BY window(ts, '10 seconds', '2 seconds');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (ts ASC) to bid
--         or add PUNCTUATED ON (ts DESC) to bid
--         or write ALLOW UNBOUNDED after the query
