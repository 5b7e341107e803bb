CREATE STREAM a (x INT);

-- refused
-- expected USING in CREATE STREAM
--   detail: found nothing
--   1 | CREATE STREAM a (x INT);
--     |                       ^
