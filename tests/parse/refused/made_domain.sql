CREATE STREAM a (itemid BIGINT, ts TIMESTAMP, sid STRING, PUNCTUATED ON (itemid)) USING json;
CREATE STREAM b (UNIQUE (itemid), DOMAIN itemid BETWEEN 1 AND 9) AS SELECT itemid, ts AS at, sid FROM a;

-- refused
-- DOMAIN does not stand before AS SELECT
--   detail: b is made of other streams
--   hint: write the condition in WHERE: what it excludes is closed
--   2 | CREATE STREAM b (UNIQUE (itemid), DOMAIN itemid BETWEEN 1 AND 9) AS SELECT itemid, ts AS at, sid FROM a;
--     |                                   ^^^^^^
