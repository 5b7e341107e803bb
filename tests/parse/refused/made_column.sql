CREATE STREAM a (itemid BIGINT, ts TIMESTAMP, sid STRING, PUNCTUATED ON (itemid)) USING json;
CREATE STREAM b (PUNCTUATE (ts ASC)) AS SELECT itemid, ts AS at, sid FROM a;

-- refused
-- there is no column ts
--   detail: available: itemid, at, sid
--   2 | CREATE STREAM b (PUNCTUATE (ts ASC)) AS SELECT itemid, ts AS at, sid FROM a;
--     |                             ^^
