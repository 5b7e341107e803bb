SELECT LAG(increase) OVER (PARTITION BY itemid) FROM bid

-- refused
-- LAG needs an order
--   hint: add ORDER BY after OVER (
--   1 | SELECT LAG(increase) OVER (PARTITION BY itemid) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
