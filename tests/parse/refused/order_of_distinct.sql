SELECT DISTINCT itemid FROM bid ORDER BY day

-- refused
-- day is not among the columns of SELECT DISTINCT
--   detail: available: itemid
--   hint: add it to SELECT
--   1 | SELECT DISTINCT itemid FROM bid ORDER BY day
--     |                                          ^^^
