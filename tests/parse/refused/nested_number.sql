SELECT tags['a'] FROM wide

-- refused
-- […] does not take this type
--   detail: a is STRING
--   hint: it takes a BIGINT, counted from 0
--   1 | SELECT tags['a'] FROM wide
--     |        ^^^^^^^^
