-- Of a disjunction counts what follows from each branch, and the second one has no bound: that is not decided.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, b.y FROM a JOIN b ON a.id = b.id AND (b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR OR b.y > a.x);

-- checked
-- q: refused
--   join keeps a: state grows without bound: b promises no punctuation on the join key
--   join keeps b: state grows without bound: a promises no punctuation on the join key
--   not decided: (((b.ts >= a.ts) AND (b.ts <= (a.ts + INTERVAL '1' HOUR))) OR (b.y > a.x)) is no equality and no difference of columns, so no more of it is used than follows from each branch
--   without punctuations, memory is unbounded: id of a is in the result, and the column's domain is unbounded (C1)
--   6 | SELECT a.id, b.y FROM a JOIN b ON a.id = b.id AND (b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR OR b.y > a.x);
--     |                       ^^^^^^^^
--   hint: add PUNCTUATED ON (id) to a and PUNCTUATED ON (id) to b
--         or write ALLOW UNBOUNDED after the query
