-- Bids of a middling price, with the time of day and the number of times that they say c.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q14 USING parquet OPTIONS (path 'out');

INSERT INTO q14
SELECT auction, bidder, 0.908 * price AS price,
  CASE
    WHEN HOUR(dateTime) BETWEEN 8 AND 18 THEN 'day'
    WHEN HOUR(dateTime) <= 6 OR HOUR(dateTime) >= 20 THEN 'night'
    ELSE 'other'
  END AS timeOfDay,
  dateTime, LENGTH(extra) - LENGTH(REPLACE(extra, 'c', '')) AS cs
FROM bid
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
