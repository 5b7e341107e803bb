SELECT itemid FROM bid b WHERE EXISTS (
  SELECT itemid FROM item i WHERE EXISTS (SELECT 1 FROM report r WHERE r.hour = b.bidderid) GROUP BY itemid)

-- refused
-- a column two levels up cannot be named below GROUP BY
--   detail: (hour = bidderid) hangs on a row that is not known there
--   hint: let the query between have an equality with that column, and name its own one
--   2 |   SELECT itemid FROM item i WHERE EXISTS (SELECT 1 FROM report r WHERE r.hour = b.bidderid) GROUP BY itemid)
--     |                                                                        ^^^^^^^^^^^^^^^^^^^
