-- Who sells in a category, in three states.

CREATE STREAM auction (
  id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP NOT NULL, expires TIMESTAMP NOT NULL, seller BIGINT, category BIGINT, extra STRING,
  PUNCTUATED ON (seller ASC)
) USING parquet OPTIONS (path 'in/auction', maxFilesPerTrigger 10);

CREATE STREAM person (
  id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING,
  dateTime TIMESTAMP NOT NULL, extra STRING,
  UNIQUE (id)
) USING parquet OPTIONS (path 'in/person', maxFilesPerTrigger 10);

CREATE SINK q3 USING json OPTIONS (path 'out');

INSERT INTO q3
SELECT p.name, p.city, p.state, a.id
FROM auction a JOIN person p ON a.seller = p.id
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA');
