-- How many bids, bidders and auctions a channel has in a day, also by price, and its last minute with a bid.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q16 USING json OPTIONS (path 'out');

INSERT INTO q16
SELECT channel, CAST(dateTime AS DATE) AS day, DATE_TRUNC('minute', MAX(dateTime)) AS minute,
  COUNT(*) AS bids,
  COUNT(*) FILTER (WHERE price < 10000) AS bids1,
  COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS bids2,
  COUNT(*) FILTER (WHERE price >= 1000000) AS bids3,
  COUNT(DISTINCT bidder) AS bidders,
  COUNT(DISTINCT bidder) FILTER (WHERE price < 10000) AS bidders1,
  COUNT(DISTINCT bidder) FILTER (WHERE price >= 10000 AND price < 1000000) AS bidders2,
  COUNT(DISTINCT bidder) FILTER (WHERE price >= 1000000) AS bidders3,
  COUNT(DISTINCT auction) AS auctions,
  COUNT(DISTINCT auction) FILTER (WHERE price < 10000) AS auctions1,
  COUNT(DISTINCT auction) FILTER (WHERE price >= 10000 AND price < 1000000) AS auctions2,
  COUNT(DISTINCT auction) FILTER (WHERE price >= 1000000) AS auctions3
FROM bid
GROUP BY channel, CAST(dateTime AS DATE);
