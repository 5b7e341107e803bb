CREATE STREAM auction_item (
  sellerid BIGINT, itemid BIGINT, name STRING, initialprice DOUBLE,
  PUNCTUATED ON (itemid)
) USING json OPTIONS (path 'in/item');

CREATE STREAM auction_bid (
  bidderid BIGINT, itemid BIGINT, increase DOUBLE,
  PUNCTUATED ON (itemid)
) USING json OPTIONS (path 'in/bid', maxFilesPerTrigger 1);

CREATE SINK closing USING json OPTIONS (path 'out/closing');

INSERT INTO closing
SELECT i.itemid, SUM(b.increase) AS total
FROM auction_item i JOIN auction_bid b ON i.itemid = b.itemid
GROUP BY i.itemid;

-- bound
-- stream auction_item: sellerid BIGINT, itemid BIGINT, name STRING, initialprice DOUBLE
--   ON (itemid)
--   json {'path': 'in/item'}
-- stream auction_bid: bidderid BIGINT, itemid BIGINT, increase DOUBLE
--   ON (itemid)
--   json {'path': 'in/bid', 'maxFilesPerTrigger': '1'}
-- sink closing: json {'path': 'out/closing'}
-- query closing
-- itemid BIGINT, total DOUBLE
-- Aggregate SUM(increase) AS total by i.itemid AS itemid
--   Join i.itemid = b.itemid
--     Source auction_item
--     Source auction_bid
