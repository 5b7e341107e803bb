-- The ten highest bids of each auction, when it is closed.
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (auction)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT auction, price, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS n FROM bid
) WHERE n <= 10;

-- checked
-- result: admitted
--   top 10 of bid: purged by bid(auction)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
