SELECT itemid FROM bid b
WHERE EXISTS (SELECT itemid FROM item i WHERE i.itemid = b.itemid UNION SELECT hour FROM report)

-- refused
-- b.itemid cannot be named here
--   detail: a subquery names columns of the query around it in WHERE, and in ON of inner joins
--   hint: name it in WHERE of a subquery that is a SELECT, or write a JOIN
--   2 | WHERE EXISTS (SELECT itemid FROM item i WHERE i.itemid = b.itemid UNION SELECT hour FROM report)
--     |                                                          ^^^^^^^^
