CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN status = 'closed' AS done
) USING json;

-- refused
-- the SQL cannot be parsed
--   detail: AS is not expected here
--   3 |   PUNCTUATE (itemid) WHEN status = 'closed' AS done
--     |                                             ^^
