CREATE STREAM a (itemid BIGINT, ts TIMESTAMP, sid STRING, PUNCTUATED ON (itemid)) USING json;
CREATE STREAM b (itemid BIGINT, UNIQUE (itemid)) AS SELECT itemid, ts AS at, sid FROM a;

-- refused
-- expected one of PUNCTUATE (…) …, UNIQUE (…) in the clauses of a stream
--   detail: found itemid
--   2 | CREATE STREAM b (itemid BIGINT, UNIQUE (itemid)) AS SELECT itemid, ts AS at, sid FROM a;
--     |                  ^^^^^^
