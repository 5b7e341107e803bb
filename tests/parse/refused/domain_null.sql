CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  DOMAIN hour IN (1, NULL)
) USING json;

-- refused
-- this is not a literal for hour
--   hint: write a literal such as 0 or 'OR'
--   3 |   DOMAIN hour IN (1, NULL)
--     |                      ^^^^
