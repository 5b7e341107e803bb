CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (hour ASC) DELAY hour
) USING json;

-- refused
-- DELAY takes literals
--   hint: write a literal, not a column
--   3 |   PUNCTUATE (hour ASC) DELAY hour
--     |                              ^^^^
