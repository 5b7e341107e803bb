CREATE STREAM a (
  itemid BIGINT, ts TIMESTAMP, day DATE, status STRING, sid STRING, hour INT, price DOUBLE, fee DECIMAL(9, 2),
  UNIQUE (itemid)
) ON VIOLATION IGNORE USING json;

-- refused
-- expected FAIL or QUARANTINE in ON VIOLATION
--   detail: found IGNORE
--   4 | ) ON VIOLATION IGNORE USING json;
--     |                ^^^^^^
