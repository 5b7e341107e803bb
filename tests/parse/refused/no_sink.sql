CREATE SINK closing USING console;
INSERT INTO closng SELECT itemid FROM bid;

-- refused
-- there is no sink closng
--   detail: available: closing
--   hint: did you mean closing?
--   2 | INSERT INTO closng SELECT itemid FROM bid;
--     |             ^^^^^^
