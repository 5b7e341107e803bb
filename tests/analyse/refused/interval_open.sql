-- An interval without an end.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, b.y FROM a JOIN b ON a.id = b.id AND b.ts >= a.ts;

-- checked
-- q: refused
--   join keeps a: state grows without bound: b promises no punctuation on the join key or in order of ts DESC
--   without punctuations, memory is unbounded: id of a is in the result, and the column's domain is unbounded (C1)
--   6 | SELECT a.id, b.y FROM a JOIN b ON a.id = b.id AND b.ts >= a.ts;
--     |                       ^^^^^^^^
--   hint: add PUNCTUATED ON (id) to b
--         or add PUNCTUATED ON (ts DESC) to b
--         or write ALLOW UNBOUNDED after the query
