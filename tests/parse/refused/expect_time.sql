CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATED ON (itemid) EXPECT WITHIN 'a day'
) USING json;

-- refused
-- 'a day' is not a duration
--   detail: units are week, day, hour, minute, second, millisecond, microsecond
--   hint: write a duration such as '10 seconds'
--   3 |   PUNCTUATED ON (itemid) EXPECT WITHIN 'a day'
--     |                                        ^^^^^^^
