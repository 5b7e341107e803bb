-- Who registered and opened an auction within the same ten seconds.

CREATE STREAM person (
  id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  UNIQUE (id), PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/person', maxFilesPerTrigger 10);

CREATE STREAM auction (
  id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP NOT NULL, expires TIMESTAMP NOT NULL, seller BIGINT, category BIGINT, extra STRING,
  PUNCTUATE (dateTime ASC)
) USING parquet OPTIONS (path 'in/auction', maxFilesPerTrigger 10);

CREATE SINK q8 USING json OPTIONS (path 'out');

INSERT INTO q8
SELECT p.id, p.name, p.window.start
FROM (
  SELECT id, name, window(dateTime, '10 seconds') AS window
  FROM person
) p JOIN (
  SELECT seller, window
  FROM auction
  GROUP BY seller, window(dateTime, '10 seconds')
) a ON p.id = a.seller AND p.window.start = a.window.start;
