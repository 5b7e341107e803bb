-- One stream has no order: rows of the other wait for it.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, a.ts, b.y FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;

-- checked
-- q: refused
--   join keeps a: state grows without bound: b promises no punctuation on the join key or in order of ts ASC or ts DESC
--   without punctuations, memory is unbounded: id of a is in the result, and the column's domain is unbounded (C1)
--   6 | SELECT a.id, a.ts, b.y FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;
--     |                             ^^^^^^^^
--   hint: add PUNCTUATED ON (id) to b
--         or add PUNCTUATED ON (ts ASC) to b
--         or add PUNCTUATED ON (ts DESC) to b
--         or write ALLOW UNBOUNDED after the query
