SELECT itemid FROM itm

-- refused
-- there is no stream itm
--   detail: available: wide, ordered, item, bid, report
--   hint: did you mean item?
--   1 | SELECT itemid FROM itm
--     |                    ^^^
