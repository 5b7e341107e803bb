SELECT itemid,, day FROM bid

-- refused
-- the SQL cannot be parsed
--   detail: , is not expected after a comma
--   1 | SELECT itemid,, day FROM bid
--     |              ^^
