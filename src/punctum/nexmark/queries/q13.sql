-- Each bid with a row of a small table.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE TABLE side (key BIGINT, value STRING) USING parquet OPTIONS (path 'in/side');

CREATE SINK q13 USING parquet OPTIONS (path 'out');

INSERT INTO q13
SELECT b.auction, b.bidder, b.price, b.dateTime, s.value
FROM bid b JOIN side s ON b.auction % 10000 = s.key;
