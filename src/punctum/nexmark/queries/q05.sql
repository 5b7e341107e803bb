-- The auctions with the most bids in the last ten seconds, every two seconds.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q5 USING json OPTIONS (path 'out');

INSERT INTO q5
WITH counted AS (
  SELECT auction, window_start, window_end, COUNT(*) AS bids
  FROM TABLE(HOP(TABLE bid, DESCRIPTOR(dateTime), INTERVAL '2' SECONDS, INTERVAL '10' SECONDS))
  GROUP BY auction, window_start, window_end
),
most AS (
  SELECT window_start, MAX(bids) AS bids
  FROM counted
  GROUP BY window_start
)
SELECT c.auction, c.window_start, c.window_end, c.bids
FROM counted c JOIN most m ON c.window_start = m.window_start AND c.bids = m.bids;
