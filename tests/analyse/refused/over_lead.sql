-- The last sale of each seller waits for another one, or for the seller to be closed.
CREATE STREAM sale (seller BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'sale');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT seller, price, LEAD(price) OVER (PARTITION BY seller ORDER BY ts) AS after FROM sale;

-- checked
-- result: refused
--   over of sale until later rows: state grows without bound: 1 row of each partition, and no input promises punctuations on PARTITION BY (seller)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   6 | SELECT seller, price, LEAD(price) OVER (PARTITION BY seller ORDER BY ts) AS after FROM sale;
--     |                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (seller) to sale
--         or write ALLOW UNBOUNDED after the query
