-- The three highest bids of each auction, as they change.
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (auction)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out', updates 'true');

INSERT INTO result
SELECT auction, price, ts, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS n FROM bid QUALIFY n <= 3;

-- checked
-- result: admitted
--   top 3 of bid: purged by bid(auction)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
--   emits each rank again when it changes
