SELECT percentile(increase, itemid) FROM bid

-- refused
-- PERCENTILE takes a literal between 0 and 1 as its share
--   detail: itemid is BIGINT
--   1 | SELECT percentile(increase, itemid) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
