-- Prices of the bids on some auctions.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q2 USING json OPTIONS (path 'out');

INSERT INTO q2
SELECT auction, price
FROM bid
WHERE auction % 123 = 0;
