-- The stream-stream join of streaming engines: both streams in order, and a partner comes within an hour.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT a.id, a.ts, b.y FROM a JOIN b ON a.id = b.id AND b.ts BETWEEN a.ts AND a.ts + INTERVAL 1 HOUR;

-- checked
-- q: admitted
--   join keeps a: purged by b(ts ASC)
--   join keeps b: purged by a(ts ASC)
--   without punctuations, memory is unbounded: id of a is in the result, and the column's domain is unbounded (C1)
