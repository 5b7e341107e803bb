SELECT itemid FROM bid WHERE itemid IN (1, bidderid)

-- refused
-- IN with anything but literals is not supported
--   hint: use OR, or a JOIN
--   1 | SELECT itemid FROM bid WHERE itemid IN (1, bidderid)
--     |                              ^^^^^^^^^^^^^^^^^^^^^^
