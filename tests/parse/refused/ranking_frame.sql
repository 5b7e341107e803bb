SELECT RANK() OVER (PARTITION BY itemid ORDER BY day ROWS 3 PRECEDING) FROM bid

-- refused
-- a frame of RANK is not supported
--   hint: leave it out: ranks are of all rows before
--   1 | SELECT RANK() OVER (PARTITION BY itemid ORDER BY day ROWS 3 PRECEDING) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
