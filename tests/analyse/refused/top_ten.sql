-- A price says nothing about which auctions are over.
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT auction, price FROM (
  SELECT *, RANK() OVER (PARTITION BY auction ORDER BY price DESC) AS n FROM bid
) WHERE n <= 10;

-- checked
-- result: refused
--   top 10 of bid: state grows without bound: no input promises punctuations on the columns of PARTITION BY (auction)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   7 |   SELECT *, RANK() OVER (PARTITION BY auction ORDER BY price DESC) AS n FROM bid
--     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
--   hint: add PUNCTUATED ON (auction) to bid
--         or write ALLOW UNBOUNDED after the query
