-- The average winning price of each seller's last ten closed auctions.

CREATE STREAM auction (
  id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP NOT NULL, expires TIMESTAMP NOT NULL, seller BIGINT, category BIGINT, extra STRING,
  UNIQUE (id), PUNCTUATE (dateTime ASC), PUNCTUATE (expires ASC) DELAY '1 second', PUNCTUATED ON (seller ASC)
) USING parquet OPTIONS (path 'in/auction', maxFilesPerTrigger 10);

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q6 USING json OPTIONS (path 'out');

INSERT INTO q6
SELECT seller, id, AVG(final) OVER (
  PARTITION BY seller ORDER BY expires, id ROWS BETWEEN 9 PRECEDING AND CURRENT ROW
) AS price
FROM (
  SELECT a.id, a.seller, a.expires, MAX(b.price) AS final
  FROM auction a JOIN bid b ON a.id = b.auction
  WHERE b.dateTime BETWEEN a.dateTime AND a.expires
  GROUP BY a.id, a.seller, a.expires
) winning;
