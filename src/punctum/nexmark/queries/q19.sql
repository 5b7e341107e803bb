-- The ten highest bids of each auction.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATED ON (auction)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q19 USING json OPTIONS (path 'out');

INSERT INTO q19
SELECT auction, bidder, price, channel, url, dateTime, extra, place
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC, dateTime) AS place
  FROM bid
) ranked
WHERE place <= 10;
