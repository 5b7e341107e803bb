CREATE SINK closing USING console;
INSERT INTO closng SELECT itemid FROM bid;

-- refused
-- there is no sink closng
--   detail: there are: closing
--   hint: did you mean closing?
--   2 | INSERT INTO closng SELECT itemid FROM bid;
--     |             ^^^^^^
