CREATE STREAM a (itemid BIGINT, ts TIMESTAMP, sid STRING, PUNCTUATED ON (itemid)) USING json;
CREATE STREAM b (PUNCTUATE (at ASC) EXPECT WITHIN '1 day') AS SELECT itemid, ts AS at, sid FROM a;

-- refused
-- EXPECT does not stand before AS SELECT
--   detail: b is made of other streams
--   hint: write it where the streams are read
--   2 | CREATE STREAM b (PUNCTUATE (at ASC) EXPECT WITHIN '1 day') AS SELECT itemid, ts AS at, sid FROM a;
--     |                                     ^^^^^^
