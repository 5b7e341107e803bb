CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour ASC, ts ASC)
) USING json;

-- refused
-- rows come in the order of one column
--   detail: hour and ts have an order
--   hint: name one of them, or add WHEN …
--   3 |   PUNCTUATE (hour ASC, ts ASC)
--     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
