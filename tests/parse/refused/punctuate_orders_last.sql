CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (ts DESC, sid, itemid)
) USING json;

-- refused
-- the column that has the order comes last
--   detail: the others are the key
--   hint: write PUNCTUATE (sid, itemid, ts DESC)
--   3 |   PUNCTUATE (ts DESC, sid, itemid)
--     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
