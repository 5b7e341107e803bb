WITH RECURSIVE r AS (SELECT itemid FROM bid) SELECT itemid FROM r

-- refused
-- WITH RECURSIVE is not supported
--   hint: use WITH without RECURSIVE
--   1 | WITH RECURSIVE r AS (SELECT itemid FROM bid) SELECT itemid FROM r
--     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
