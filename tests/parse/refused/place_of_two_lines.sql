SELECT name
       + 1
FROM item

-- refused
-- + does not take these types
--   detail: name is STRING, 1 is BIGINT
--   hint: it takes numbers (BIGINT, DOUBLE, DECIMAL), and + and - also a time and an INTERVAL, or a DATE and days
--   1 | SELECT name
--     |        ^^^^
--   2 |        + 1
--     |        ^^^
