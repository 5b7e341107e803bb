-- How many bids an auction has in a day, also by price, and what they are.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC), PUNCTUATED ON (auction)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q17 USING json OPTIONS (path 'out');

INSERT INTO q17
SELECT auction, CAST(dateTime AS DATE) AS day,
  COUNT(*) AS bids,
  COUNT(*) FILTER (WHERE price < 10000) AS bids1,
  COUNT(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS bids2,
  COUNT(*) FILTER (WHERE price >= 1000000) AS bids3,
  MIN(price) AS least, MAX(price) AS most, AVG(price) AS average, SUM(price) AS total
FROM bid
GROUP BY auction, CAST(dateTime AS DATE);
