SELECT CAST(day AS ARRAY<INT>) FROM bid

-- refused
-- DATE cannot be cast to ARRAY<BIGINT>
--   detail: day is DATE
--   hint: take an element or a field of it
--   1 | SELECT CAST(day AS ARRAY<INT>) FROM bid
--     |        ^^^^^^^^^^^^^^^^^^^^^^^
