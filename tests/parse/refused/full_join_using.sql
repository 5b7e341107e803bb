SELECT itemid FROM item FULL JOIN bid USING (itemid)

-- refused
-- USING is not supported in a FULL JOIN
--   detail: both columns may be NULL
--   hint: write ON, and COALESCE(item.itemid, bid.itemid) for the column
--   1 | SELECT itemid FROM item FULL JOIN bid USING (itemid)
--     |                                              ^^^^^^
