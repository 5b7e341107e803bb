SELECT itemid, row_number() OVER (PARTITION BY itemid ORDER BY day) FROM bid

-- refused
-- window functions are not supported
--   hint: use GROUP BY
--   1 | SELECT itemid, row_number() OVER (PARTITION BY itemid ORDER BY day) FROM bid
--     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
