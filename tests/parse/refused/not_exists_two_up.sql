SELECT itemid FROM bid b WHERE EXISTS (
  SELECT 1 FROM item i WHERE i.itemid = b.itemid AND NOT EXISTS (SELECT 1 FROM report r WHERE r.hour = b.bidderid))

-- refused
-- a column two levels up cannot be named in NOT EXISTS or NOT IN
--   detail: (hour = bidderid) hangs on a row that is not known there
--   hint: let the query between have an equality with that column, and name its own one
--   2 |   SELECT 1 FROM item i WHERE i.itemid = b.itemid AND NOT EXISTS (SELECT 1 FROM report r WHERE r.hour = b.bidderid))
--     |                                                                                               ^^^^^^^^^^^^^^^^^^^
