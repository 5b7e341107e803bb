SELECT itemid, FROM bid

-- refused
-- the SQL cannot be read
--   detail: FROM is not expected after a comma
--   1 | SELECT itemid, FROM bid
--     |              ^^^^^^
