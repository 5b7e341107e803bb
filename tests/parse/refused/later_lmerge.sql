CREATE STREAM a AS LMERGE (item, bid);

-- refused
-- LMERGE is not supported yet
--   hint: CREATE STREAM … AS SELECT is
--   1 | CREATE STREAM a AS LMERGE (item, bid);
--     |                    ^^^^^^
