SELECT SUM(increase) OVER (PARTITION BY itemid ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM bid

-- refused
-- this frame is not supported
--   hint: supported: ROWS or RANGE BETWEEN … PRECEDING or UNBOUNDED PRECEDING AND CURRENT ROW, and whole partitions
--   1 | SELECT SUM(increase) OVER (PARTITION BY itemid ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
