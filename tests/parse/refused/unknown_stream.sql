SELECT itemid FROM itm

-- refused
-- there is no stream itm
--   detail: there are: item, bid, report
--   hint: did you mean item?
--   1 | SELECT itemid FROM itm
--     |                    ^^^
