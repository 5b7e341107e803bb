SELECT ts * INTERVAL '1' DAY FROM item

-- refused
-- * does not take these types
--   detail: ts is TIMESTAMP, INTERVAL '1' DAY is INTERVAL DAY TO SECOND
--   hint: it takes numbers (BIGINT, DOUBLE, DECIMAL)
--   1 | SELECT ts * INTERVAL '1' DAY FROM item
--     |        ^^^^^^^^^^^^^^^^^
