SELECT itemid, FROM bid

-- refused
-- the SQL cannot be parsed
--   detail: FROM is not expected after a comma
--   1 | SELECT itemid, FROM bid
--     |              ^^^^^^
