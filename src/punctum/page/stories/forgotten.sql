CREATE STREAM item (
  itemid BIGINT, sellerid BIGINT, name STRING, initialprice DOUBLE,
  PUNCTUATED ON (itemid)
) USING json OPTIONS (path 'in/item');

CREATE STREAM bid (
  itemid BIGINT, bidderid BIGINT, increase DOUBLE
) USING json OPTIONS (path 'in/bid');

CREATE SINK closing USING json OPTIONS (path 'out');

INSERT INTO closing
SELECT i.itemid, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid
GROUP BY i.itemid;
