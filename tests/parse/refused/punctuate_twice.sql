CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid, itemid) WHEN status = 'closed'
) USING json;

-- refused
-- the punctuated columns must be one or more, each named once
--   detail: it is on (itemid, itemid)
--   hint: for example ON (itemid)
--   3 |   PUNCTUATE (itemid, itemid) WHEN status = 'closed'
--     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^
