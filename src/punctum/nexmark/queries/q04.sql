-- The average winning price of each category. Order alone closes an auction: no bid of its time can come any more.

CREATE STREAM auction (
  id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP NOT NULL, expires TIMESTAMP NOT NULL, seller BIGINT, category BIGINT, extra STRING,
  UNIQUE (id), PUNCTUATE (dateTime ASC), DOMAIN category BETWEEN 10 AND 14
) USING parquet OPTIONS (path 'in/auction', maxFilesPerTrigger 10);

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q4 USING json OPTIONS (path 'out');

INSERT INTO q4
SELECT category, AVG(final) AS price
FROM (
  SELECT a.id, a.category, MAX(b.price) AS final
  FROM auction a JOIN bid b ON a.id = b.auction
  WHERE b.dateTime BETWEEN a.dateTime AND a.expires
  GROUP BY a.id, a.category
) winning
GROUP BY category;
