-- Example 2 of the punctuation paper, from rows alone. An item is offered once; a row that says so closes its auction.
-- That row is no bid, and the query filters it out, after it has been heard.
CREATE STREAM item (
  itemid BIGINT, name STRING,
  UNIQUE (itemid)
) USING json OPTIONS (path 'in/item', maxFilesPerTrigger 1);

CREATE STREAM bid (
  itemid BIGINT, increase DOUBLE, status STRING,
  PUNCTUATE (itemid) WHEN status = 'closed'
) USING json OPTIONS (path 'in/bid', maxFilesPerTrigger 1);

CREATE SINK closing USING json OPTIONS (path 'out/closing');

INSERT INTO closing
SELECT i.itemid, i.name, COUNT(*) AS bids, SUM(b.increase) AS total
FROM item i JOIN bid b ON i.itemid = b.itemid
WHERE b.status = 'open'
GROUP BY i.itemid, i.name;

-- slice
-- item: {"itemid": 17, "name": "vase"}
-- item: {"itemid": 18, "name": "lamp"}
-- bid: {"itemid": 17, "increase": 5, "status": "open"}
-- bid: {"itemid": 18, "increase": 9, "status": "open"}
-- slice
-- bid: {"itemid": 17, "increase": 2, "status": "open"}
-- bid: {"itemid": 17, "increase": null, "status": "closed"}
-- late bid: {"itemid": 17, "increase": 30, "status": "open"}
-- => {"itemid": 17, "name": "vase", "bids": 2, "total": 7.0}
-- slice: a bid that comes too late, and one for an item that nobody has bid on
-- item: {"itemid": 500, "name": "chair"}
-- late bid: {"itemid": 17, "increase": 100, "status": "open"}
-- bid: {"itemid": 500, "increase": null, "status": "closed"}
-- slice
-- bid: {"itemid": 18, "increase": 1, "status": "open"}
-- bid: {"itemid": 18, "increase": null, "status": "closed"}
-- => {"itemid": 18, "name": "lamp", "bids": 2, "total": 10.0}
