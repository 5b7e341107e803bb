-- Order lets rows out, but nine of each seller are kept for ever.
CREATE STREAM sale (seller BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'sale');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT seller, AVG(price) OVER (PARTITION BY seller ORDER BY ts ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS mean FROM sale;

-- checked
-- result: refused
--   over of sale before the next row: state grows without bound: 9 rows of each partition, and no input promises punctuations on PARTITION BY (seller)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT seller, AVG(price) OVER (PARTITION BY seller ORDER BY ts ROWS BETWEEN 9 PRECEDING AND CURRENT ROW) AS mean FROM sale;
--     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (seller) to sale
--         or write ALLOW UNBOUNDED after the query
