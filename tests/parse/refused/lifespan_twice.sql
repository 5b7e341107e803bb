CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  PUNCTUATE (itemid) WHEN price > 5 LIFESPAN '4 hours' LIFESPAN '5 hours'
) USING json;

-- refused
-- LIFESPAN occurs twice
--   hint: remove one of them
--   3 |   PUNCTUATE (itemid) WHEN price > 5 LIFESPAN '4 hours' LIFESPAN '5 hours'
--     |                                                        ^^^^^^^^
