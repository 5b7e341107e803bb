CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATED ON (itemid) EXPECT WITHIN '0 days'
) USING json;

-- refused
-- EXPECT needs a duration greater than zero
--   hint: write a duration such as '1 day'
--   3 |   PUNCTUATED ON (itemid) EXPECT WITHIN '0 days'
--     |                                        ^^^^^^^^
