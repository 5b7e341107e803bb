SELECT CAST(day AS DOUBLE) FROM bid

-- refused
-- DATE cannot be cast to DOUBLE
--   detail: day is DATE
--   1 | SELECT CAST(day AS DOUBLE) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^
