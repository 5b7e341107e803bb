SELECT itemid, ntile(4) OVER (PARTITION BY itemid ORDER BY day) FROM bid

-- refused
-- NTILE with OVER is not supported
--   hint: supported with OVER: ROW_NUMBER, RANK, DENSE_RANK, COUNT, SUM, MIN, MAX, AVG, LAG, LEAD, FIRST_VALUE, LAST_VALUE
--   1 | SELECT itemid, ntile(4) OVER (PARTITION BY itemid ORDER BY day) FROM bid
--     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
