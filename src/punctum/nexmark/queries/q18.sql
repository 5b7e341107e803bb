-- The last bid of each bidder on each auction.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATED ON (auction)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q18 USING json OPTIONS (path 'out');

INSERT INTO q18
SELECT auction, bidder, price, channel, url, dateTime, extra
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY dateTime DESC, price DESC) AS place
  FROM bid
) ranked
WHERE place <= 1;
