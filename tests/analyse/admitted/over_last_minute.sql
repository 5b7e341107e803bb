-- Order lets rows out, and what is a minute behind it is in no frame any more; no promise on sellers is needed.
CREATE STREAM sale (seller BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'sale');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT seller, AVG(price) OVER (PARTITION BY seller ORDER BY ts RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND CURRENT ROW) AS mean
FROM sale;

-- checked
-- result: admitted
--   over of sale: purged by sale(ts ASC)
--   over of sale before the next row: purged by sale(ts ASC)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
