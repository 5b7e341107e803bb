SELECT sum(count(*)) FROM bid

-- refused
-- there is an aggregate function in an aggregate function
--   hint: aggregates are allowed in SELECT and HAVING
--   1 | SELECT sum(count(*)) FROM bid
--     |            ^^^^^^^^
