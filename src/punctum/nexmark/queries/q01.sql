-- Bids with their prices in another currency.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q1 USING parquet OPTIONS (path 'out');

INSERT INTO q1
SELECT auction, bidder, 0.908 * price AS price, dateTime, extra
FROM bid;
