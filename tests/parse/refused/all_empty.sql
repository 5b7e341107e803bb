CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour) WHEN ALL sid IN ()
) USING json;

-- refused
-- the list is empty
--   detail: it names no sid to wait for
--   hint: name one or more
--   3 |   PUNCTUATE (hour) WHEN ALL sid IN ()
--     |                                    ^^
