SELECT itemid FROM bid UNION SELECT itemid FROM item ORDER BY itemid + 1

-- refused
-- ORDER BY takes columns of the result here, and itemid + 1 is not one
--   detail: available: itemid
--   1 | SELECT itemid FROM bid UNION SELECT itemid FROM item ORDER BY itemid + 1
--     |                                                               ^^^^^^^^^^
