CREATE STREAM a (itemid BIGINT, ts TIMESTAMP, sid STRING, PUNCTUATED ON (itemid)) USING json;
CREATE STREAM b () AS SELECT itemid, ts AS at, sid FROM a;

-- refused
-- expected one of PUNCTUATE (…) …, UNIQUE (…) in the clauses of a stream
--   detail: found nothing
--   2 | CREATE STREAM b () AS SELECT itemid, ts AS at, sid FROM a;
--     |                 ^
