-- The auction, over topics: what the two portals say of an item is in one partition, and in the order in which it was said.

CREATE STREAM item (
  itemid BIGINT, sellerid BIGINT, name STRING, initialprice DOUBLE,
  PUNCTUATED ON (itemid ASC), PARTITIONED BY (itemid)
) USING kafka OPTIONS (brokers 'localhost:9092', topic 'punctum-demo-item');

CREATE STREAM bid (
  itemid BIGINT, bidderid BIGINT, increase DOUBLE,
  PUNCTUATED ON (itemid), PARTITIONED BY (itemid)
) USING kafka OPTIONS (brokers 'localhost:9092', topic 'punctum-demo-bid');

CREATE SINK closing USING kafka OPTIONS (brokers 'localhost:9092', topic 'punctum-demo-closing', key 'itemid');

INSERT INTO closing
SELECT i.itemid, i.name, COUNT(*) AS bids, i.initialprice + SUM(b.increase) AS price
FROM item i JOIN bid b ON i.itemid = b.itemid
GROUP BY i.itemid, i.name, i.initialprice;
