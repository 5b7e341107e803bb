SELECT itemid FROM bid WHERE itemid IN (1, bidderid)

-- refused
-- IN of other than literals is not supported
--   hint: use OR, or a JOIN
--   1 | SELECT itemid FROM bid WHERE itemid IN (1, bidderid)
--     |                              ^^^^^^^^^^^^^^^^^^^^^^
