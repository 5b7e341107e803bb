SELECT * EXCEPT (itemid) FROM bid

-- refused
-- SELECT * EXCEPT is not supported
--   hint: list the columns
--   1 | SELECT * EXCEPT (itemid) FROM bid
--     |        ^^^^^^^^^^^^^^^^
