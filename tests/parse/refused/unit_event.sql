CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (DATE_TRUNC('hour', ts)) WHEN status = 'over'
) USING json;

-- refused
-- an event closes values of columns
--   hint: name a column, or write WHEN ALL … IN …
--   3 |   PUNCTUATE (DATE_TRUNC('hour', ts)) WHEN status = 'over'
--     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
