VALUES (1), (2)

-- refused
-- VALUES is not supported
--   hint: a query is a SELECT from streams
--   1 | VALUES (1), (2)
--     |         ^^^^^^
