CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN price > 'high'
) USING json;

-- refused
-- > needs values of the same type
--   detail: price is DOUBLE, high is STRING
--   hint: CAST one to the type of the other
--   3 |   PUNCTUATE (itemid) WHEN price > 'high'
--     |                           ^^^^^^^^^^^^^^
