SELECT from_json(name, 'a BIGNT') AS parsed FROM item

-- refused
-- 'a BIGNT' is no schema
--   hint: such as 'a BIGINT, b ARRAY<STRING>'
--   1 | SELECT from_json(name, 'a BIGNT') AS parsed FROM item
--     |                        ^^^^^^^^^
