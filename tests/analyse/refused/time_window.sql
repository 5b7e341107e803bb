-- Without order no window is over.
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT window.start, MAX(price) AS price FROM bid GROUP BY window(ts, '10 seconds');

-- checked
-- result: refused
--   group-by of bid: state grows without bound: no input promises punctuations on the grouping columns (start)
--   without punctuations, memory is unbounded: ts of bid is a grouping column, and the column's domain is unbounded (C1)
--   6 | SELECT window.start, MAX(price) AS price FROM bid GROUP BY window(ts, '10 seconds');
--     | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (ts ASC) to bid
--         or add PUNCTUATED ON (ts DESC) to bid
--         or write ALLOW UNBOUNDED after the query
