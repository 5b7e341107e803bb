-- The winning bid of each auction: the highest, the first of several. Order alone closes an auction.

CREATE STREAM auction (
  id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP NOT NULL, expires TIMESTAMP NOT NULL, seller BIGINT, category BIGINT, extra STRING,
  UNIQUE (id), PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/auction', maxFilesPerTrigger 10);

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q9 USING json OPTIONS (path 'out');

INSERT INTO q9
SELECT id, itemName, initialBid, reserve, expires, seller, category, bidder, price, bidTime
FROM (
  SELECT a.id, a.itemName, a.initialBid, a.reserve, a.expires, a.seller, a.category,
    b.bidder, b.price, b.dateTime AS bidTime,
    ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.dateTime) AS place
  FROM auction a JOIN bid b ON a.id = b.auction
  WHERE b.dateTime BETWEEN a.dateTime AND a.expires
) ranked
WHERE place = 1;
