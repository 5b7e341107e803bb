-- The highest bids of every ten seconds.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q7 USING json OPTIONS (path 'out');

INSERT INTO q7
WITH highest AS (
  SELECT window_start, MAX(price) AS price
  FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dateTime), INTERVAL '10' SECONDS))
  GROUP BY window_start
)
SELECT b.auction, b.price, b.bidder, b.dateTime, b.extra
FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dateTime), INTERVAL '10' SECONDS)) b
JOIN highest h ON b.window_start = h.window_start AND b.price = h.price;
