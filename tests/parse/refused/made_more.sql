CREATE STREAM a (itemid BIGINT, ts TIMESTAMP, sid STRING, PUNCTUATED ON (itemid)) USING json;
CREATE STREAM b (UNIQUE (itemid) PUNCTUATE (at ASC)) AS SELECT itemid, ts AS at, sid FROM a;

-- refused
-- expected a comma or the end in the clauses of a stream
--   detail: found PUNCTUATE
--   2 | CREATE STREAM b (UNIQUE (itemid) PUNCTUATE (at ASC)) AS SELECT itemid, ts AS at, sid FROM a;
--     |                                  ^^^^^^^^^
