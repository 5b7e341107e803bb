CREATE SINK out USING console;
SELECT itemid FROM bid;

-- refused
-- a query has no sink
--   hint: write INSERT INTO sink SELECT …; in Python, session.query() takes a SELECT alone
--   2 | SELECT itemid FROM bid;
--     | ^^^^^^^^^^^^^^^^^^^^^^
