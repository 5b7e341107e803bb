-- The auction of the README over topics: producer.py sends to item and bid, reader.py shows what is in closing.

CREATE STREAM item (itemid BIGINT, name STRING, PUNCTUATED ON (itemid), PARTITIONED BY (itemid))
  USING kafka OPTIONS (brokers 'localhost:9092', topic 'item');
CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid), PARTITIONED BY (itemid))
  USING kafka OPTIONS (brokers 'localhost:9092', topic 'bid');
CREATE SINK closing
  USING kafka OPTIONS (brokers 'localhost:9092', topic 'closing', key 'itemid', punctuations true);

INSERT INTO closing
SELECT i.itemid, i.name, COUNT(*) AS bids, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid
GROUP BY i.itemid, i.name;
