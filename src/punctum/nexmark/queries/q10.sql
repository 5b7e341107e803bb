-- Every bid with its day and its minute.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q10 USING parquet OPTIONS (path 'out');

INSERT INTO q10
SELECT auction, bidder, price, dateTime, extra,
  CAST(dateTime AS DATE) AS day, DATE_TRUNC('minute', dateTime) AS minute
FROM bid;
