CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (status ASC) DELAY 5
) USING json;

-- refused
-- status cannot have a DELAY
--   detail: it is STRING
--   hint: remove it
--   3 |   PUNCTUATE (status ASC) DELAY 5
--     |                                ^
