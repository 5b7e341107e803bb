CREATE STREAM a (itemid BIGINT, ts TIMESTAMP, sid STRING, PUNCTUATED ON (itemid)) USING json;
CREATE STREAM b (PUNCTUATED ON (at ASC)) AS SELECT itemid, ts AS at, sid FROM a;

-- refused
-- PUNCTUATED does not stand before AS SELECT
--   detail: b is made of other streams
--   hint: write PUNCTUATE … to make punctuations of its rows; those that its streams send pass by themselves
--   2 | CREATE STREAM b (PUNCTUATED ON (at ASC)) AS SELECT itemid, ts AS at, sid FROM a;
--     |                  ^^^^^^^^^^
