SELECT itemid FROM bid WHERE itemid IN (SELECT itemid, name FROM item)

-- refused
-- IN needs as many columns on both sides
--   detail: 1 on the left, 2 in the subquery
--   1 | SELECT itemid FROM bid WHERE itemid IN (SELECT itemid, name FROM item)
--     |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
