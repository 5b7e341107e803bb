SELECT * EXCEPT (itemid) FROM bid

-- refused
-- * with EXCEPT is not supported
--   hint: name the columns
--   1 | SELECT * EXCEPT (itemid) FROM bid
--     |        ^^^^^^^^^^^^^^^^
