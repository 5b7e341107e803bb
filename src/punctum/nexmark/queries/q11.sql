-- How many bids a bidder makes in a session, which ends after ten seconds without one.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q11 USING json OPTIONS (path 'out');

INSERT INTO q11
SELECT bidder, session_window.start, session_window.end, COUNT(*) AS bids
FROM bid
GROUP BY bidder, session_window(dateTime, '10 seconds');
