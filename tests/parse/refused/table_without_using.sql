CREATE TABLE sensors (sid STRING);

-- refused
-- expected USING in CREATE TABLE
--   detail: found nothing
--   1 | CREATE TABLE sensors (sid STRING);
--     |                                 ^
