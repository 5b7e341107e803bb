SELECT itemid FROM bid LIMIT 10

-- refused
-- LIMIT needs an order
--   hint: add ORDER BY: which rows come first does not depend on how a stream is cut into batches
--   1 | SELECT itemid FROM bid LIMIT 10
--     |                        ^^^^^^^^
