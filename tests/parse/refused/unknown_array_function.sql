SELECT array_position(tags, 'a') AS at FROM wide

-- refused
-- the function ARRAY_POSITION is not supported
--   hint: did you mean POSITION? docs/functions.md lists all
--   1 | SELECT array_position(tags, 'a') AS at FROM wide
--     |        ^^^^^^^^^^^^^^^^^^^^^^^^^
