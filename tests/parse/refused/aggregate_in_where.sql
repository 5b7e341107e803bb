SELECT itemid FROM bid WHERE sum(increase) > 3 GROUP BY itemid

-- refused
-- there is an aggregate function in WHERE
--   hint: HAVING filters groups
--   1 | SELECT itemid FROM bid WHERE sum(increase) > 3 GROUP BY itemid
--     |                              ^^^^^^^^^^^^^
