-- Of a disjunction counts what follows from each branch: b.ts is at most 20 minutes from a.ts.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, b.y FROM a JOIN b
ON a.id = b.id AND (b.ts BETWEEN a.ts AND a.ts + INTERVAL 20 MINUTES OR b.ts BETWEEN a.ts - INTERVAL 10 MINUTES AND a.ts);

-- checked
-- q: admitted
--   join keeps a: purged by b(ts ASC)
--   join keeps b: purged by a(ts ASC)
--   without punctuations, memory is unbounded: id of a is in the result, and the column's domain is unbounded (C1)
