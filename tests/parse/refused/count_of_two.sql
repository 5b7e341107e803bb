SELECT count(DISTINCT itemid, day) FROM bid

-- refused
-- COUNT DISTINCT of more than one value is not supported
--   hint: concatenate them
--   1 | SELECT count(DISTINCT itemid, day) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^
