SELECT itemid, COUNT(*), current_date() FROM item GROUP BY itemid

-- refused
-- current_date() is not allowed in a SELECT with groups or window functions
--   hint: name it in a subquery: SELECT …, current_timestamp() AS at FROM …
--   1 | SELECT itemid, COUNT(*), current_date() FROM item GROUP BY itemid
--     |                          ^^^^^^^^^^^^^^
