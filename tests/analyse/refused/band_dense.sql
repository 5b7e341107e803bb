-- Between two DOUBLEs there is always another one; and nobody closes each microsecond of an hour.
CREATE STREAM a (lo DOUBLE, hi DOUBLE, ts TIMESTAMP, PUNCTUATED ON (lo, hi), PUNCTUATED ON (ts)) USING json OPTIONS (path 'a');
CREATE STREAM b (p DOUBLE, ts TIMESTAMP, PUNCTUATED ON (p), PUNCTUATED ON (ts)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.lo, b.ts FROM a JOIN b ON b.p BETWEEN a.lo AND a.hi AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;

-- checked
-- q: refused
--   join keeps a: state grows without bound: b promises no punctuation in order of p ASC or p DESC or ts ASC or ts DESC
--   join keeps b: state grows without bound: a promises no punctuation in order of lo ASC or hi DESC or ts ASC or ts DESC
--   not decided: a.ts lies between others, and TIMESTAMPs between two of them count as infinitely many
--   not decided: b.ts lies between others, and TIMESTAMPs between two of them count as infinitely many
--   without punctuations, memory is unbounded: lo of a is in the result, and the column's domain is unbounded (C1)
--   6 | SELECT a.lo, b.ts FROM a JOIN b ON b.p BETWEEN a.lo AND a.hi AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;
--     |                        ^^^^^^^^
--   hint: add PUNCTUATED ON (hi DESC) to a and PUNCTUATED ON (p ASC) to b
--         or add PUNCTUATED ON (hi DESC) to a and PUNCTUATED ON (p DESC) to b
--         or add PUNCTUATED ON (hi DESC) to a and PUNCTUATED ON (ts ASC) to b
--         or add PUNCTUATED ON (hi DESC) to a and PUNCTUATED ON (ts DESC) to b
--         or add PUNCTUATED ON (lo ASC) to a and PUNCTUATED ON (p ASC) to b
--         or add PUNCTUATED ON (lo ASC) to a and PUNCTUATED ON (p DESC) to b
--         or add PUNCTUATED ON (lo ASC) to a and PUNCTUATED ON (ts ASC) to b
--         or add PUNCTUATED ON (lo ASC) to a and PUNCTUATED ON (ts DESC) to b
--         or add PUNCTUATED ON (ts ASC) to a and PUNCTUATED ON (p ASC) to b
--         or add PUNCTUATED ON (ts ASC) to a and PUNCTUATED ON (p DESC) to b
--         or add one of 6 other sets of PUNCTUATED ON clauses
--         or join every stream by an equality: ON a.x = b.y
--         or write ALLOW UNBOUNDED after the query
