SELECT itemid FROM item WHERE ts < now()

-- refused
-- now() is not allowed in WHERE
--   hint: name it in a subquery: SELECT …, current_timestamp() AS at FROM …
--   1 | SELECT itemid FROM item WHERE ts < now()
--     |                                    ^^^^^
