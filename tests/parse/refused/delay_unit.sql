CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (ts ASC) DELAY '10 parsecs'
) USING json;

-- refused
-- '10 parsecs' is not a duration
--   detail: units are week, day, hour, minute, second, millisecond, microsecond
--   hint: write a duration such as '10 seconds'
--   3 |   PUNCTUATE (ts ASC) DELAY '10 parsecs'
--     |                            ^^^^^^^^^^^^
