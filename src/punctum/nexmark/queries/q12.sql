-- How many bids of a bidder come in every ten seconds, by the clock of who reads them.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE STREAM arrived AS
SELECT bidder, PROCTIME() AS at FROM bid;

CREATE SINK q12 USING json OPTIONS (path 'out');

INSERT INTO q12
SELECT bidder, window.start, window.end, COUNT(*) AS bids
FROM arrived
GROUP BY bidder, window(at, '10 seconds');
