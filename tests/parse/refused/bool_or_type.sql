SELECT bool_or(increase) FROM bid

-- refused
-- BOOL_OR does not take this type
--   detail: increase is DOUBLE
--   hint: it takes BOOLEAN
--   1 | SELECT bool_or(increase) FROM bid
--     |        ^^^^^^^^^^^^^^^^^
