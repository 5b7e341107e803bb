SELECT itemid FROM bid WHERE day > '2026-13-01'

-- refused
-- '2026-13-01' is not a DATE
--   hint: a date is written '2026-11-15'
--   1 | SELECT itemid FROM bid WHERE day > '2026-13-01'
--     |                                    ^^^^^^^^^^^^
