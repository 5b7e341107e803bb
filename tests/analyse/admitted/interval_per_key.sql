-- Order for each sensor, and the end of the interval in a subquery.
CREATE STREAM a (id BIGINT, ts TIMESTAMP, x DOUBLE, PUNCTUATED ON (id, ts ASC)) USING json OPTIONS (path 'a');
CREATE STREAM b (id BIGINT, ts TIMESTAMP, y DOUBLE, PUNCTUATED ON (id, ts ASC)) USING json OPTIONS (path 'b');
CREATE SINK q USING json OPTIONS (path 'q');
INSERT INTO q
SELECT s.id, b.y FROM (SELECT id, ts, ts + INTERVAL 1 HOUR AS until FROM a) s, b
WHERE s.id = b.id AND b.ts >= s.ts AND b.ts < s.until;

-- checked
-- q: admitted
--   join keeps a: purged by b(id, ts ASC)
--   join keeps b: purged by a(id, ts ASC)
--   join stores each key that a(id, ts ASC) closes, because b never closes it
--   join stores each key that a(id, until ASC) closes, because b never closes it
--   join stores each key that b(id, ts ASC) closes, because a never closes it
--   without punctuations, memory is unbounded: id of a is in the result, and the column's domain is unbounded (C1)
