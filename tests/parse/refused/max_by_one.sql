SELECT max_by(increase) FROM bid

-- refused
-- MAX_BY takes two arguments
--   hint: it is max_by(value T, by T) -> T
--   1 | SELECT max_by(increase) FROM bid
--     |        ^^^^^^^^^^^^^^^^
