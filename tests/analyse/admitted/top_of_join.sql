-- The winning bid of each auction: the join is bounded by order alone, and closes auctions for the ranking.
CREATE STREAM auction (id BIGINT, ts TIMESTAMP NOT NULL, expires TIMESTAMP NOT NULL, PUNCTUATED ON (id), PUNCTUATED ON (ts ASC))
  USING json OPTIONS (path 'auction');
CREATE STREAM bid (auction BIGINT, price BIGINT, ts TIMESTAMP NOT NULL, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'bid');
CREATE SINK result USING json OPTIONS (path 'out');

INSERT INTO result
SELECT a.id, b.price, b.ts
FROM auction a JOIN bid b ON a.id = b.auction AND b.ts BETWEEN a.ts AND a.expires
QUALIFY ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.ts) = 1;

-- checked
-- result: admitted
--   join keeps auction: purged by bid(ts ASC)
--   join keeps bid: purged by auction(id)
--   top 1 of auction, bid: purged by auction(id)
--   without punctuations, memory is unbounded: it is not one SELECT of joins and filters with at most one DISTINCT or GROUP BY on top
