SELECT itemid FROM bid UNION SELECT itemid FROM item ORDER BY itemid + 1

-- refused
-- ORDER BY takes columns of the result here, and itemid + 1 is none
--   detail: there are: itemid
--   1 | SELECT itemid FROM bid UNION SELECT itemid FROM item ORDER BY itemid + 1
--     |                                                               ^^^^^^^^^^
