-- Every bid, unchanged.

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING
) USING parquet OPTIONS (path 'in/bid', maxFilesPerTrigger 10);

CREATE SINK q0 USING parquet OPTIONS (path 'out');

INSERT INTO q0
SELECT auction, bidder, price, channel, url, dateTime, extra
FROM bid;
