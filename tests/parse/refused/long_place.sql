SELECT itemid
FROM bid
WHERE day > '2026-01-01'

UNION ALL

SELECT name
  FROM item

-- refused
-- UNION needs columns of the same types
--   detail: itemid is BIGINT, name is STRING
--   hint: CAST one to the type of the other
--   1 | SELECT itemid
--     | ^^^^^^^^^^^^^
--   2 | FROM bid
--     | ^^^^^^^^
--   3 | WHERE day > '2026-01-01'
--     | ^^^^^^^^^^^^^^^^^^^^^^^^
--     | …
