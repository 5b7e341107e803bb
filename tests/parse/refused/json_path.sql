SELECT get_json_object(name, 'a.b') FROM item

-- refused
-- 'a.b' is not a path
--   hint: such as '$.a.b[0]'; wildcards are not supported
--   1 | SELECT get_json_object(name, 'a.b') FROM item
--     |                              ^^^^^
