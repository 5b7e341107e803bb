SELECT ROW_NUMBER() OVER (PARTITION BY itemid) FROM bid

-- refused
-- ROW_NUMBER needs an order
--   hint: add ORDER BY after OVER (
--   1 | SELECT ROW_NUMBER() OVER (PARTITION BY itemid) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
