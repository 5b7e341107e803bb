SELECT itemid x y FROM bid

-- refused
-- the SQL cannot be parsed
--   detail: y is not expected here
--   1 | SELECT itemid x y FROM bid
--     |                 ^
