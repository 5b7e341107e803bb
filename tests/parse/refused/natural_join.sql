SELECT name FROM item NATURAL JOIN bid

-- refused
-- NATURAL JOIN is not supported
--   hint: supported: INNER, LEFT, RIGHT, FULL, LEFT SEMI, LEFT ANTI JOIN with ON or USING, CROSS JOIN, and comma joins
--   1 | SELECT name FROM item NATURAL JOIN bid
--     |                       ^^^^^^^^^^^^^^^^
