SELECT sum(DISTINCT increase) FROM bid

-- refused
-- DISTINCT in SUM is not supported
--   hint: it is in COUNT; SELECT DISTINCT in a subquery does it for others
--   1 | SELECT sum(DISTINCT increase) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^
