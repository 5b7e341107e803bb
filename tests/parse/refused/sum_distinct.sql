SELECT sum(DISTINCT increase) FROM bid

-- refused
-- DISTINCT in SUM is not supported
--   hint: use it in COUNT, or use SELECT DISTINCT in a subquery
--   1 | SELECT sum(DISTINCT increase) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^
