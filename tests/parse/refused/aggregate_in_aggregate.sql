SELECT sum(count(*)) FROM bid

-- refused
-- there is an aggregate function in an aggregate function
--   hint: an aggregate stands in SELECT or HAVING
--   1 | SELECT sum(count(*)) FROM bid
--     |            ^^^^^^^^
